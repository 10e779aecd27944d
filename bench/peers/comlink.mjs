/**
 * Comlink, as the other side of an ask across threads: calls of a function that a worker exposes.
 */
import { Worker } from 'node:worker_threads';
import { wrap } from 'comlink';
import nodeEndpoint from 'comlink/dist/umd/node-adapter.js';
import { asking } from '../sides/actors/ask.mjs';

export async function ask({ inFlight }) {
  const worker = new Worker(new URL('./comlink-worker.mjs', import.meta.url));
  await new Promise((resolve) => worker.once('online', resolve));
  const remote = wrap(nodeEndpoint(worker));
  return asking(inFlight, (value) => remote.echo(value));
}
