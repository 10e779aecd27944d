/**
 * Tell across threads: bursts to a sink on another thread, which says after each what it has received; two bursts are on
 * the way at a time, so that neither thread waits for the other.
 */
import { Worker } from 'node:worker_threads';
import { System } from '../../../dist/runtime/system.js';
import { expectWork } from '../../harness/interleave.mjs';

const BURST = 500;
const AT_ONCE = 2;
const BURSTS = 40;

/** Work done by `burst()`, which sends one; `received` is to be called with what the sink says. */
function sending(burst) {
  let sent = 0;
  let told = 0;
  let count = 0;
  let sum = 0;
  let done;
  const next = () => {
    sent++;
    burst();
  };
  return {
    received(report) {
      count += report.count;
      sum += report.sum;
      if (++told === BURSTS) done();
      else if (sent < BURSTS) next();
    },
    async work() {
      [sent, told, count, sum] = [0, 0, 0, 0];
      const all = new Promise((resolve) => {
        done = resolve;
      });
      for (let i = 0; i < AT_ONCE; i++) next();
      await all;
      expectWork('messages received', count, BURSTS * BURST);
      expectWork('their sum', sum, (BURSTS * BURST * (BURST - 1)) / 2);
      return count;
    },
  };
}

export async function troupe() {
  const system = await System.start([{ name: 'host', host: true }]);
  const module = new URL('./sink.mjs', import.meta.url).href;
  const sink = await system.spawn({ name: 'sink', module, args: undefined });
  let context;
  const side = sending(() => {
    for (let value = 0; value < BURST; value++) {
      context.tell(sink, { type: 'note', value, last: value === BURST - 1 });
    }
  });
  const start = (ctx) => {
    context = ctx;
    return { receive: (message) => (message.type === 'begin' ? message.begin() : side.received(message)) };
  };
  const sender = await system.main.spawn({ kind: 'sender', start }, { name: 'sender', args: undefined });
  return {
    work: () =>
      new Promise((resolve, reject) => {
        const begin = () => void side.work().then(resolve, reject);
        system.tell(sender, { type: 'begin', begin });
      }),
  };
}

/** One `postMessage` a message, and nothing else. */
export async function raw() {
  const worker = new Worker(new URL('./across-worker.mjs', import.meta.url));
  await new Promise((resolve) => worker.once('online', resolve));
  const side = sending(() => {
    for (let value = 0; value < BURST; value++) {
      worker.postMessage({ type: 'note', value, last: value === BURST - 1 });
    }
  });
  worker.on('message', side.received);
  return side;
}
