import { afterAll, describe, expect, test } from 'vitest';
import { Offload } from '../../src/runtime/offload.js';
import { failure } from './stage.js';

const job = new URL('./actors/job.mjs', import.meta.url).href;
const offload = new Offload({ threads: 1 });
afterAll(() => offload.close());

describe('the offload pool', () => {
  test('runs a job on a thread of its own and answers what it made', async () => {
    expect(await offload.run(job, { add: [2, 3] }, 10_000)).toBe(5);
    expect(await offload.run(job, { thread: true }, 10_000)).toBe(false);
  });

  test("a job's error keeps its class", async () => {
    expect(await failure(offload.run(job, { fail: true }, 10_000))).toMatchObject({
      code: 'BadArgument',
      detail: { argument: 'fail' },
    });
  });

  test('a job past its deadline, or aborted, fails; the next one runs', async () => {
    expect(await failure(offload.run(job, { sleepMs: 5_000 }, 50))).toMatchObject({ code: 'AskTimeout' });
    const control = new AbortController();
    const aborted = failure(offload.run(job, { sleepMs: 5_000 }, 10_000, { signal: control.signal }));
    control.abort();
    expect(await aborted).toMatchObject({ code: 'Aborted' });
    expect(await offload.run(job, { add: [1, 1] }, 10_000)).toBe(2);
  });

  test('a job whose module is not there fails, and the next one runs', async () => {
    expect(await failure(offload.run('file:///no/such/job.mjs', {}, 10_000))).toMatchObject({
      code: 'Error',
    });
    expect(await offload.run(job, { add: [1, 1] }, 10_000)).toBe(2);
  });
});
