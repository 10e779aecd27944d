/**
 * Makes what its first argument names happen to a troupe, stops it, and must then end by itself. Prints one line of
 * JSON: how each turn ended. Anything that rejects unheard ends it with 3.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Troupe } from '../../dist/index.js';
import { System } from '../../dist/runtime/system.js';

process.on('unhandledRejection', (reason) => {
  console.error('rejected unheard:', reason);
  process.exit(3);
});

const model = fileURLToPath(new URL('../../models/parlour-tiny-F16.gguf', import.meta.url));
const sampling = { temperature: 0, repeatPenalty: 1 };
const ENDLESS = 'And the LORD said';
let system;
const start = System.start.bind(System);
System.start = async (plans) => {
  system = await start(plans);
  return system;
};
const memory = { dir: join(tmpdir(), `troupe-ends-${process.pid}`) };
const open = (options) => Troupe.start({ model, threads: 1, hosts: 2, lanes: 2, memory, ...options });
const kill = (troupe, name) =>
  system.terminateThread(troupe.inspect().threads.find((thread) => thread.name === name).number);
const begun = (turn) => turn[Symbol.asyncIterator]().next();
const settle = async (promises) =>
  (await Promise.allSettled(promises)).map(({ status, value, reason }) =>
    status === 'rejected' ? reason.code : (value?.error?.code ?? value?.outcome ?? 'done'),
  );

/** Every kind of turn at once: running, waiting for a lane, for its room, read, half read, never read. */
async function everything(troupe) {
  const minds = await Promise.all([0, 1, 2, 3].map((i) => troupe.mind(`mind ${i}`, { sampling })));
  const turns = minds.flatMap((mind) =>
    ['a', 'a', 'b', 'c'].map((room) => mind.turn(ENDLESS, { room, maxTokens: 450 })),
  );
  const read = async (turn, i) => {
    for await (const _piece of turn) if (i === 5) break;
  };
  const readers = turns.slice(0, 6).map((turn, i) => read(turn, i).catch((error) => ({ error })));
  await Promise.race(turns.map(begun));
  return { minds, turns, readers };
}

const SCENES = {
  async 'at once'() {
    const troupe = await open();
    await troupe.stop();
    return [];
  },

  async 'at the end of a scope'() {
    const troupe = await open();
    const mind = await troupe.mind('ada');
    const turn = mind.turn('Good evening.', { maxTokens: 5 });
    await turn.result;
    await mind[Symbol.asyncDispose]();
    await troupe[Symbol.asyncDispose]();
    return settle([turn.result]);
  },

  async 'in the middle of everything'() {
    const troupe = await open();
    const { minds, turns, readers } = await everything(troupe);
    const during = settle([
      troupe.mind('late'),
      minds[0].turn('Late.').result,
      minds[1].leave(),
      troupe.peek(minds[2].id),
    ]);
    const stopped = troupe.stop();
    const after = settle([
      troupe.mind('later'),
      minds[0].turn('Later.').result,
      troupe.stop(),
      minds[3].leave(),
    ]);
    await stopped;
    const all = settle([...turns.map((turn) => turn.result), ...readers]);
    return [...(await all), ...(await during), ...(await after)];
  },

  async 'by an exit of the process in mid-turn'() {
    await everything(await open());
    console.log(JSON.stringify({ results: [], left: [] }));
    process.exit(0);
  },

  async 'while the engine is away'() {
    const troupe = await open();
    const { turns, readers } = await everything(troupe);
    await kill(troupe, 'engine');
    const stopped = troupe.stop();
    await stopped;
    return settle([...turns.map((turn) => turn.result), ...readers]);
  },

  async 'while minds are away'() {
    const troupe = await open();
    const { turns, readers } = await everything(troupe);
    await kill(troupe, 'host-0');
    await troupe.stop();
    return settle([...turns.map((turn) => turn.result), ...readers]);
  },

  async 'after the control thread was lost'() {
    const troupe = await open();
    const { minds, turns, readers } = await everything(troupe);
    await kill(troupe, 'control');
    const results = await settle([...turns.map((turn) => turn.result), ...readers]);
    await Promise.all(minds.map((mind) => mind.leave()));
    await troupe.stop();
    return results;
  },

  async 'after many faults that nobody looked at'() {
    const bad = [
      { model: '/nowhere/none.gguf' },
      { lanes: 0 },
      { model, context: 100_000 },
      { model, memory: { host: 1 } },
      { model: fileURLToPath(import.meta.url) },
    ];
    const refused = await settle(bad.map((options) => Troupe.start(options)));
    const troupe = await open();
    const mind = await troupe.mind('ada', { sampling });
    const faults = [
      mind.turn('x '.repeat(5_000)),
      mind.turn(ENDLESS, { deadline: 1 }),
      mind.turn(ENDLESS, { signal: AbortSignal.abort() }),
      mind.turn(ENDLESS, { room: 'a', maxTokens: 450 }),
    ];
    for (let i = 0; i < 30; i++) mind.turn('Unread.', { room: `${i}`, maxTokens: 3, deadline: 1 + i });
    await begun(faults[3]);
    await kill(troupe, 'engine');
    const ended = await settle(faults.map((turn) => turn.result));
    await mind.leave();
    mind.turn('Gone.');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await troupe.stop();
    mind.turn('Stopped.');
    return [...refused, ...ended];
  },
};

const results = await SCENES[process.argv[2]]();
const left = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort|Timeout/.test(name));
console.log(JSON.stringify({ results, left }));
