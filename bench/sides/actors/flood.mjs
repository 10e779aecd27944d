/**
 * A flood from another thread: what it does to a timer of the flooded thread, and to the memory of the process. Prints
 * `{ lateMs, accepted, refused, firstBytes, residentBytes, heapBytes }`: how late each tick was, what `tell` took and what it
 * refused during the watch; growth of the process in the first seconds, and from then on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { System } from '../../../dist/runtime/system.js';
import { weigh } from '../../harness/heaps.mjs';

const { everyMs, watchMs, warmUpMs } = JSON.parse(process.argv[2]);

const LOOK_MS = 50;
const DEADLINE_MS = 60_000;

/** The resident size at its highest. */
async function highestDuring(ms) {
  let highest = 0;
  for (const begun = performance.now(); performance.now() - begun < ms; ) {
    await sleep(LOOK_MS);
    highest = Math.max(highest, process.memoryUsage.rss());
  }
  return highest;
}

const system = await System.start([
  { name: 'flooded', host: true },
  { name: 'flooding', host: true },
]);
const at = (name) => new URL(`./${name}.mjs`, import.meta.url).href;
const [FLOODED, FLOODING] = [2, 3];
const sink = await system.spawn({ name: 'sink', module: at('sink'), args: undefined, thread: FLOODED });
const timer = await system.spawn({ name: 'timer', module: at('ticker'), args: { everyMs }, thread: FLOODED });
const flood = await system.spawn({
  name: 'flood',
  module: at('gusher'),
  args: { to: sink },
  thread: FLOODING,
});
const ask = (id, type) => system.ask(id, { type }, { deadlineMs: DEADLINE_MS, band: 1 });

const resting = process.memoryUsage.rss();
await ask(flood, 'begin');
const warmBytes = await highestDuring(warmUpMs);
const before = await weigh();
await ask(timer, 'begin');
await ask(flood, 'told');
const watchedBytes = await highestDuring(watchMs);
const lateMs = await ask(timer, 'late');
const { accepted, refused } = await ask(flood, 'told');
const after = await weigh();
process.stdout.write(
  JSON.stringify({
    lateMs,
    accepted,
    refused,
    firstBytes: warmBytes - resting,
    residentBytes: watchedBytes - warmBytes,
    heapBytes: after.heapBytes - before.heapBytes,
  }),
  () => process.exit(),
);
