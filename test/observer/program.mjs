/**
 * A process that can be observed and does nothing: `node program.mjs FOLDER [MODE]`. Says `ready`, and ends when its input
 * does. MODE `unwatched` reads no input, so that after a second only the socket could keep it; `busy` has its main thread stuck.
 */
import { mkdirSync } from 'node:fs';
import { Observer } from '../../dist/observer/server.js';

const [, , folder, mode] = process.argv;

const actor = (id, name, more) => ({
  ...{ id, name, kind: 'echo', thread: 'host-0', state: 'idle', depth: { system: 0, control: 0, user: 0 } },
  ...{ oldestMs: 0, inHand: undefined, waitsFor: undefined, processed: 100, handlerMs: undefined },
  ...{ restarts: 0, lastError: undefined },
  ...more,
});
const message = (type, from, more) => ({ band: 'user', type, from, ageMs: 1_500, sizeBytes: 2_048, ...more });

let looks = 0;
const source = {
  inspect: () => ({
    threads: [{ number: 0, name: 'host-0', alive: true, sinceSliceMs: 5, restarts: 0, deadLetters: 0 }],
    actors: [
      actor(1, 'mind/ada', {
        ...{ kind: 'mind', state: 'awaiting', inHand: { type: 'turn', forMs: 3_200 } },
        waitsFor: { reason: 'fetch', on: 2, forMs: 3_200, leftMs: 1_800 },
      }),
      actor(2, 'eve', {
        ...{ state: 'awaiting', inHand: { type: 'fetch', forMs: 3_100 }, oldestMs: 2_000 },
        ...{ depth: { system: 0, control: 0, user: 2 }, processed: 100 + 50 * looks++ },
      }),
      actor(3, 'wild\u001b[31m', { restarts: 2, lastError: 'no such\nfile' }),
    ],
    holds: [],
  }),
  peek: async (id, preview) => ({
    ...{
      id,
      name: id === 1 ? 'mind/ada' : 'eve',
      inHand: message('fetch', 1, preview ? { preview: 'fetch {}' } : {}),
    },
    ...{ queued: [message('note', 0, preview ? { preview: 'note {value: 1}' } : {})], more: 3 },
    waits: [
      { reason: 'room', forMs: 1_000, leftMs: 9_000, on: 1 },
      { reason: 'room', forMs: 900, leftMs: 9_000, on: 1 },
    ],
  }),
  trace({ type }, { seen, over }) {
    const event = { event: 'taken', at: 1_500, actor: 1, from: 0, type: type ?? 'turn', band: 'user' };
    setTimeout(() => {
      seen([event, { ...event, event: 'failed', from: 9, reason: 'told\u001b to', ms: 12 }], 7);
      over();
    }, 10);
    return over;
  },
  onProbe: () => () => {},
};

mkdirSync(folder, { recursive: true, mode: 0o700 });
await Observer.open(source, folder);
process.stdout.write('ready\n');
if (mode === 'unwatched') setTimeout(() => {}, 1_000);
else process.stdin.resume().on('end', () => process.exit());
if (mode === 'busy')
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000), 50);
