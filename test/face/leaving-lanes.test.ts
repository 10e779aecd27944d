/** Lanes that leave to disk before the context is made smaller for memory, through the public face. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Troupe, TroupeOptions } from '../../src/index.js';
import { Band } from '../../src/runtime/message.js';
import { addon } from '../native/fixtures.js';
import { ballast, MIB } from './ballast.js';
import {
  actorOf,
  begun,
  circling,
  ENDLESS,
  folder,
  probesOf,
  startTroupe,
  systemOf,
  until,
  writeLongModel,
} from './stage.js';
import { say } from './talk.js';

const CONTEXT = 8_192;
/** So much as a troupe of the smallest model with a long context needs at least; what it cannot let go of is less. */
const NEEDED = 72 * MIB;

let place: ReturnType<typeof folder>;
let troupe: Troupe;
beforeEach(() => {
  place = folder();
});
const start = async (options: TroupeOptions = {}): Promise<void> => {
  const memory = { host: NEEDED, pages: 2 ** 30, dir: `${place.path}/pages` };
  troupe = await startTroupe({ lanes: 2, memory, ...options });
};
afterEach(async () => {
  await troupe.stop();
  expect(addon.pages.usage()).toMatchObject({ count: 0, windows: 0 });
  place[Symbol.dispose]();
});

it('B4 T4 leave also where turns run, which go on from disk without a seam', async () => {
  const model = writeLongModel(join(place.path, 'long.gguf'), CONTEXT);
  await start({ model, context: CONTEXT });
  const ada = await troupe.mind('ada', { sampling: circling });
  const alone = await ada.turn(ENDLESS, { maxTokens: 600 }).result;
  await ada.leave();
  using moves = probesOf(troupe, 'page.move');
  const ben = await troupe.mind('ben', { sampling: circling });
  const turn = ben.turn(ENDLESS, { maxTokens: 7_000 });
  await begun(turn);
  const before = (await troupe.memory()).cells.total;
  const relieve = ballast(60 * MIB);
  // The ledger is told of it with the next change.
  const cleo = await troupe.mind('cleo', { sampling: circling });
  await cleo.turn('Hello.', { maxTokens: 4 }).result;
  while ((await troupe.memory()).cells.total === before)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const had = turn.text.length;
  await until(() => turn.text.length > had + 200, 'a turn that goes on');
  turn.cancel();
  const { text, receipt } = await turn.result;
  expect(text.startsWith(alone.text) || alone.text.startsWith(text)).toBe(true);
  expect(receipt.runs.map(({ outcome }) => outcome)).toEqual(['reclaimed', 'aborted']);
  expect(receipt.runs[1]).toMatchObject({ processed: 0, fromDisk: { failed: undefined } });
  expect(receipt.runs[1]?.fromDisk?.bytes).toBeGreaterThan(0);
  // What was read from disk goes into its lane; nothing that a lane held became a page.
  expect(moves.seen.filter(({ to }) => to === 'page')).toEqual([]);
  relieve();
});

it('B4 take no more memory than the window, and their rooms come back from disk and say the same', async () => {
  await start();
  const undisturbed: string[] = [];
  for (const name of ['ada', 'ben']) {
    const mind = await troupe.mind(name);
    await say(mind, `I am ${name}.`);
    undisturbed.push((await say(mind, 'Who am I?')).text);
    await mind.leave();
  }
  const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
  await say(ada, 'I am ada.');
  await say(ben, 'I am ben.');
  using moves = probesOf(troupe, 'page.move');
  const relieve = ballast(60 * MIB);
  // The ledger is told of it with the next change.
  await ada.pageIn();
  let most = 0;
  for (let cells = 0; cells !== 512; ) {
    const report = await troupe.memory();
    const rooms = report.leases.filter(({ owner, kind }) => kind === 'pages' && owner.includes('/main'));
    expect(rooms.filter(({ tier }) => tier !== 'disk')).toEqual([]);
    const windows = report.leases.filter(({ kind }) => kind === 'window');
    most = Math.max(most, ...windows.map(({ bytes }) => bytes));
    cells = report.cells.total;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(most).toBeLessThanOrEqual(16 * MIB);
  expect(moves.seen).toEqual([]);
  const { pages } = await troupe.pages.spilled();
  expect(pages.map(({ mind }) => mind)).toEqual(['ada', 'ben']);
  expect(await troupe.pages.list()).toEqual([]);
  relieve();
  for (const [at, mind] of [ada, ben].entries()) {
    const { text, receipt } = await say(mind, 'Who am I?');
    expect(text).toBe(undisturbed[at]);
    expect(receipt.runs[0]).toMatchObject({ fromDisk: { failed: undefined }, reused: pages[at]?.tokens });
  }
});

/** Messages that no handler of theirs can take. */
const poison = {
  engine: { type: 'vacate', claims: null },
  pager: { type: 'read' },
  broker: { type: 'disk', word: null },
};

it.each(['engine', 'pager', 'broker'] as const)(
  'R4 B4 leave nothing behind where the %s crashes over it, and everybody goes on',
  async (who) => {
    await start();
    const [ada, ben] = [await troupe.mind('ada'), await troupe.mind('ben')];
    await say(ada, 'I am ada.');
    await say(ben, 'I am ben.');
    using crashes = probesOf(troupe, 'actor.crashed');
    const relieve = ballast(60 * MIB);
    await ada.pageIn();
    await until(() => addon.pages.usage().windows > 0, 'a lane to leave');
    const message = { ...poison[who] };
    systemOf(troupe).tell(actorOf(troupe, who), message, { band: Band.reserved });
    await until(() => crashes.seen.length > 0, 'the crash');
    for (const mind of [ada, ben]) expect((await say(mind, 'Who am I?')).outcome).toMatch(/stop|length/);
    relieve();
    await until(() => addon.pages.usage().windows === 0, 'the window to be closed');
    await until(() => readdirSync(`${place.path}/pages/staging`).length === 0, 'what was staged to go');
  },
);
