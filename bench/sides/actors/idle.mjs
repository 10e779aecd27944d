/**
 * Weighs idle actors: what the process holds with so many of them, each of which has handled a message, less what it held
 * before they came. Prints `{ residentBytes, heapBytes }` of them all.
 */
import { System } from '../../../dist/runtime/system.js';
import { weigh } from '../../harness/heaps.mjs';
import { expectWork } from '../../harness/interleave.mjs';

const { actors, hosts } = JSON.parse(process.argv[2]);

/** Come and go first, so that code is compiled and buffers have grown that all actors share. */
const WARM_UP = 2_000;
const AT_ONCE = 500;

const plans = Array.from({ length: hosts }, (_, i) => ({ name: `host-${i}`, host: true }));
const system = await System.start(plans);
const module = new URL('./echo.mjs', import.meta.url).href;

/** Does something with each, some at a time. */
async function each(items, act) {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(act));
  }
}

async function bring(name, count) {
  const ids = [];
  await each([...Array(count).keys()], async (i) => {
    ids.push(await system.spawn({ name: `${name}-${i}`, module, args: undefined }));
  });
  await greet(ids);
  return ids;
}

const greet = (ids) =>
  each(ids, async (value) =>
    expectWork('an answer', await system.ask(value, { type: 'echo', value }), value),
  );

const guests = await bring('guest', WARM_UP);
await each(guests, (id) => system.stopActor(id, 'it was a guest'));
const without = await weigh();
const ids = await bring('actor', actors);
const beside = await weigh();
await greet(ids);
process.stdout.write(
  JSON.stringify({
    residentBytes: beside.residentBytes - without.residentBytes,
    heapBytes: beside.heapBytes - without.heapBytes,
  }),
  () => process.exit(),
);
