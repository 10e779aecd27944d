/** A job that does what it is told. */
import { isMainThread } from 'node:worker_threads';
import { BadArgument } from '../../../dist/runtime/errors.js';
import { defineJob } from '../../../dist/runtime/offload.js';

export default defineJob(async ({ add, thread, fail, sleepMs }) => {
  if (thread) return isMainThread;
  if (fail) throw new BadArgument({ argument: 'fail', value: true, expected: 'false' });
  if (sleepMs) await new Promise((resolve) => setTimeout(resolve, sleepMs));
  return add?.reduce((sum, n) => sum + n, 0);
});
