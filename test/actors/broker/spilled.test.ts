/** Rooms on disk as the broker has them: read again for those who wait, by a pager that is told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type {
  BrokerToMind,
  BrokerToPager,
  DiskWord,
  FiledPage,
  FoundPage,
  MindToBroker,
  PagerToBroker,
} from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker, PageRecord } from '../../../src/actors/engine/protocol.js';
import { DiskFailure, PageCorrupt } from '../../../src/errors.js';
import { toEnvelope } from '../../../src/runtime/errors.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let ada: Party<MindToBroker, BrokerToMind>;
let ben: Party<MindToBroker, BrokerToMind>;
let pager: Party<MindToBroker | PagerToBroker, BrokerToPager | BrokerToMind>;
const say = (word: DiskWord): void => pager.tell({ type: 'disk', word });
let room: string;

beforeEach(async () => {
  thread = await TestThread.start();
  broker = await thread.spawn(definition as never, 'broker', { pageBytes: 1000 });
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  ben = await Party.enter(thread, 'ben', () => broker);
  pager = await Party.enter(thread, 'pager', () => broker);
  room = `${ada.id}/main`;
});

const up = (lanes = 1, pages: readonly PageRecord[] = [], epoch = 0): void =>
  engine.tell({
    ...{ type: 'up', engine: engine.id, epoch, pages },
    shape: { lanes, cells: 1000, context: 1000 },
  });
const record = (activity: string, page: number, bytes = 100): PageRecord => ({
  ...{ activity, page, held: 10, bytes },
});
const filed = (held = 10, bytes = 100): FiledPage => ({
  ...{ activity: room, mind: ada.id, held, bytes, said: 7, lent: false },
  file: { name: 'ada/main', generation: 1, time: 1, fingerprint: 'f', cells: held, bytes },
});
/** The room is on disk, and nowhere else. */
const spill = async (file = filed()): Promise<void> => {
  up();
  engine.tell({ type: 'paged', record: { ...record(room, 1), bytes: file.bytes } });
  say({ type: 'filed', file, page: 1, drop: true });
  await engine.hears();
  expect(await pages()).toEqual([]);
};
let tickets = 0;
const turn = (activity = room, who = ada): void =>
  who.tell({ type: 'request', ticket: ++tickets, activity, class: 'interactive', cells: 100, genes: [] });
const move = (kind: 'page-out' | 'page-in'): void =>
  pager.tell({
    type: 'request',
    ticket: 1,
    activity: room,
    class: 'interactive',
    cells: 0,
    genes: [],
    move: kind,
  });
const pages = (): Promise<PageRecord[]> => thread.ask(broker, { type: 'pages' });
/** The number of what the pager was last told to read. */
const readOf = async (): Promise<number> =>
  (await pager.hears()).reduce((last, message) => (message.type === 'read' ? message.read : last), -1);
const corrupt = toEnvelope(new PageCorrupt({ what: 'kv', reason: 'a test' }));
const broken = toEnvelope(new DiskFailure({ path: 'p', operation: 'reading', reason: 'a test' }));

describe('a room that is on disk alone', () => {
  it('P5 is read for its next turn, which waits for the pager and is then granted', async () => {
    await spill();
    turn();
    expect(await ada.hears()).toMatchObject([{ type: 'queued', reason: 'disk', on: pager.id }]);
    expect(await pager.hears()).toEqual([{ type: 'read', read: 1, file: filed() }]);
    say({ type: 'read', read: 1, record: record(room, 5), ms: 3 });
    expect(await ada.hears()).toMatchObject([
      {
        ...{ type: 'granted', lane: 0, continues: false, vacated: 2 },
        read: { bytes: 100, ms: 3, error: undefined },
      },
    ]);
    expect(await engine.hears()).toEqual([{ type: 'adopt', epoch: 0, record: record(room, 5) }]);
  });

  it('P5 has the page as it was on disk by then', async () => {
    await spill();
    turn();
    const read = await readOf();
    // It was just being written anew.
    const newer = { ...record(room, 5), held: 77, bytes: 700 };
    say({ type: 'read', read, record: newer, ms: 3 });
    expect(await pages()).toEqual([newer]);
    expect(await engine.hears()).toMatchObject([{ type: 'adopt', record: newer }]);
  });

  it('P5 keeps nobody else from the lane meanwhile, and then waits for it', async () => {
    await spill();
    turn();
    const read = await readOf();
    turn(`${ben.id}/main`, ben);
    expect(await ben.hears()).toMatchObject([{ type: 'granted' }]);
    say({ type: 'read', read, record: record(room, 5), ms: 3 });
    expect(await ada.hears()).toMatchObject([{ reason: 'disk' }, { type: 'queued', reason: 'lane' }]);
  });

  it('P5 that cannot be read begins anew, and is not tried again where the file is spoilt', async () => {
    await spill();
    for (const [error, tries] of [
      [broken, 1],
      [corrupt, 1],
      [corrupt, 0],
    ] as const) {
      turn();
      const told = await pager.hears();
      expect(told).toHaveLength(tries);
      if (told[0]?.type === 'read') say({ type: 'unread', read: told[0].read, activity: room, error });
      const granted = (await ada.hears()).at(-1);
      expect(granted).toMatchObject({ type: 'granted', read: tries === 0 ? undefined : { bytes: 0, error } });
      if (granted?.type === 'granted') {
        engine.tell({
          ...{ type: 'ran', grant: granted.grant, lane: 0, activity: undefined, held: 0, bytes: 0 },
          ...{ stretches: [], processed: 0, produced: 0 },
        });
      }
    }
  });

  it('P5 has its page in memory for a later turn when the one that waited was cancelled', async () => {
    await spill();
    turn();
    const read = await readOf();
    ada.tell({ type: 'withdraw', ticket: tickets });
    say({ type: 'read', read, record: record(room, 5), ms: 3 });
    expect(await pages()).toEqual([record(room, 5)]);
    await ada.hears();
    turn();
    expect(await ada.hears()).toMatchObject([{ type: 'granted', read: undefined }]);
  });

  it('T6 is not read for a mind that has left, and what came too late is let go', async () => {
    await spill();
    turn();
    const read = await readOf();
    ada.end();
    expect(await pager.hears()).toEqual([{ type: 'stop-reading', read }]);
    say({ type: 'read', read, record: record(room, 5), ms: 3 });
    expect(await pager.hears()).toEqual([{ type: 'release', page: 5 }]);
    expect(await pages()).toEqual([]);
  });

  it.each([
    ['was started again', () => pager.tell({ type: 'forget' })],
    ['has ended', () => pager.end()],
  ])('P5 begins anew when the pager that reads it %s', async (_, lose) => {
    await spill();
    turn();
    await ada.hears();
    lose();
    expect(await ada.hears()).toMatchObject([{ type: 'granted', read: { error: { code: 'EngineLost' } } }]);
    expect(await pages()).toEqual([]);
  });

  it('E7 is read over a relaunch, and its page is the next engine’s', async () => {
    await spill();
    turn();
    const read = await readOf();
    up(1, [], 1);
    say({ type: 'read', read, record: record(room, 5), ms: 3 });
    expect((await ada.hears()).at(-1)).toMatchObject({ type: 'granted', epoch: 1, read: { bytes: 100 } });
    await engine.hears();
    // It was lost before it had heard of the page.
    up(1, [], 2);
    expect(await engine.hears()).toEqual([{ type: 'adopt', epoch: 2, record: record(room, 5) }]);
    expect(await pages()).toEqual([record(room, 5)]);
  });

  it('E7 is not read where the next engine has its page after all, which an engine that was lost was to drop', async () => {
    await spill();
    turn();
    const read = await readOf();
    up(1, [{ ...record(room, 4), held: 200 }], 1);
    expect(await pager.hears()).toEqual([{ type: 'stop-reading', read }]);
    const granted = { type: 'granted', epoch: 1, read: undefined };
    expect((await ada.hears()).at(-1)).toMatchObject(granted);
    // What the lane is to hold is kept for it: another has no room beside it.
    turn(`${ben.id}/main`, ben);
    expect(await ben.hears()).toMatchObject([{ type: 'queued', reason: 'lane' }]);
    say({ type: 'unread', read, activity: room, error: broken });
    expect(await pages()).toEqual([{ ...record(room, 4), held: 200 }]);
  });

  it.each(['has it', 'finds it gone'])(
    'R4 P5 is its pager’s until the engine %s, for the broker may be lost before it is told',
    async (what) => {
      await spill();
      turn();
      say({ type: 'read', read: await readOf(), record: record(room, 5), ms: 3 });
      expect(await pager.hears()).toEqual([]);
      // Nor is it when that engine is lost too.
      up(1, [], 1);
      expect(await pager.hears()).toEqual([]);
      if (what === 'has it') engine.tell({ type: 'paged', record: record(room, 5) });
      else engine.tell({ type: 'unpaged', activity: room, page: 5 });
      const type = what === 'has it' ? 'taken' : 'release';
      expect(await pager.hears()).toEqual([{ type, page: 5 }]);
    },
  );

  it('P5 is handed over once more to a pager that does not know whether it was', async () => {
    await spill();
    turn();
    say({ type: 'read', read: await readOf(), record: record(room, 5), ms: 3 });
    engine.tell({ type: 'paged', record: record(room, 5) });
    await pager.hears();
    say({ type: 'handed', pages: [5, 6] });
    expect(await pager.hears()).toEqual([
      { type: 'taken', page: 5 },
      { type: 'release', page: 6 },
    ]);
  });

  it('R4 P5 is handed over once more to a broker that was started again, when an engine says what it has', async () => {
    say({ type: 'handed', pages: [5, 6] });
    expect(await pager.hears()).toEqual([]);
    up(1, [record(room, 5)]);
    expect(await pager.hears()).toEqual([
      { type: 'taken', page: 5 },
      { type: 'release', page: 6 },
    ]);
    up(1, [], 1);
    expect(await pager.hears()).toEqual([]);
  });

  it('P5 is nowhere when its files were removed', async () => {
    await spill();
    say({ type: 'removed', name: 'ada/main' });
    turn();
    expect(await ada.hears()).toMatchObject([{ type: 'granted', read: undefined }]);
  });

  it('P5 comes back for a page-in, and its refusal says why it does not', async () => {
    await spill();
    move('page-in');
    const read = await readOf();
    say({ type: 'unread', read, activity: room, error: corrupt });
    expect(await pager.hears()).toMatchObject([{ type: 'refused', error: { code: 'PageCorrupt' } }]);
    await spill();
    move('page-out');
    expect(await pager.hears()).toMatchObject([{ type: 'refused', error: { code: 'EmptyLane' } }]);
    move('page-in');
    say({ type: 'read', read: await readOf(), record: record(room, 5), ms: 3 });
    engine.tell({ type: 'paged', record: record(room, 5) });
    expect(await pager.hears()).toMatchObject([
      { type: 'granted', continues: false },
      { type: 'taken', page: 5 },
    ]);
  });

  it('P5 is known to a broker that was started again', async () => {
    await spill();
    engine.tell({ type: 'up', shape: null } as never);
    await thread.pass(20);
    expect((await engine.hears()).at(-1)).toMatchObject({ type: 'reset' });
    up();
    turn();
    expect(await pager.hears()).toMatchObject([{ type: 'read', file: filed() }]);
  });
});

describe('room for a page from disk', () => {
  it('P1 is made by the oldest pages, which go before it is read', async () => {
    await spill(filed(10, 500));
    engine.tell({ type: 'paged', record: record('77/old', 2, 600) });
    engine.tell({ type: 'paged', record: record('77/new', 3, 300) });
    turn();
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', claims: [], drop: [{ page: 2 }] }]);
    expect(await pager.hears()).toEqual([]);
    engine.tell({ type: 'unpaged', activity: '77/old', page: 2 });
    expect(await pager.hears()).toMatchObject([{ type: 'read' }]);
  });

  it.each([
    ['P1 that is not there: its turn begins anew', filed.bind(undefined, 10, 1001), 'OverCeiling'],
    ['E7 in no context of this size: its turn begins anew', filed.bind(undefined, 1001), 'ContextFull'],
  ])('%s', async (_, file, code) => {
    await spill(file());
    turn();
    expect(await ada.hears()).toMatchObject([{ type: 'granted', read: { bytes: 0, error: { code } } }]);
    expect(await pager.hears()).toEqual([]);
  });
});

describe('what is said of pages on disk', () => {
  it('P5 only the generation that was written is dropped from memory', async () => {
    up(1, [record(room, 2)]);
    say({ type: 'filed', file: filed(), page: 1, drop: true });
    expect(await pages()).toEqual([record(room, 2)]);
    say({ type: 'filed', file: filed(), page: 2, drop: false });
    expect(await pages()).toEqual([record(room, 2)]);
    turn();
    say({ type: 'filed', file: filed(), page: 2, drop: true });
    expect(await pages()).toEqual([record(room, 2)]);
  });

  describe('a page that is just being made', () => {
    let found: FoundPage | undefined;
    beforeEach(async () => {
      up();
      turn();
      const [granted] = await ada.hears();
      if (granted?.type !== 'granted') throw new Error('no lane was granted');
      engine.tell({
        ...{ type: 'ran', grant: granted.grant, lane: 0, activity: room, held: 10, bytes: 100 },
        ...{ stretches: [], processed: 1, produced: 1 },
      });
      turn('77/other', ben);
      await ben.hears();
      found = undefined;
      void thread.ask<FoundPage>(broker, { type: 'page', activity: room }).then((answer) => {
        found = answer;
      });
      await settled();
      expect(found).toBeUndefined();
    });

    it('P5 is waited for', async () => {
      engine.tell({ type: 'paged', record: record(room, 4) });
      await settled();
      expect(found).toEqual({ page: record(room, 4), file: undefined });
    });

    it('E7 is not waited for when the engine is gone', async () => {
      engine.end();
      await settled();
      expect(found).toEqual({ page: undefined, file: undefined });
    });
  });

  it('P5 a page that is on its way from disk is waited for no longer than its pager reads', async () => {
    await spill();
    turn();
    expect(await readOf()).toBeGreaterThan(0);
    let found: FoundPage | undefined;
    void thread.ask<FoundPage>(broker, { type: 'page', activity: room }).then((answer) => {
      found = answer;
    });
    await settled();
    expect(found).toBeUndefined();
    pager.tell({ type: 'forget' });
    await settled();
    expect(found).toMatchObject({ page: undefined });
  });

  it('T6 a page that was being made when its mind left is let go of', async () => {
    up();
    turn();
    await ada.hears();
    ada.end();
    await engine.hears();
    engine.tell({ type: 'paged', record: record(room, 7) });
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', claims: [], drop: [{ page: 7 }] }]);
    expect(await pages()).toEqual([]);
  });

  it('T6 a page of a mind that left while there was no engine is let go of by the next one', async () => {
    up();
    turn();
    await ada.hears();
    engine.tell({
      type: 'up',
      engine: 0,
      epoch: 1,
      shape: { lanes: 1, cells: 1000, context: 1000 },
      pages: [],
    });
    ada.end();
    await engine.hears();
    up(1, [record(room, 7)], 2);
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', claims: [], drop: [{ page: 7 }] }]);
  });

  it('T6 P6 a recalled page takes the place of what a turn has left that its mind has lost', async () => {
    up();
    turn();
    const [granted] = (await ada.hears()).filter(({ type }) => type === 'granted') as { grant: number }[];
    engine.tell({
      ...{ type: 'ran', grant: granted?.grant as number, lane: 0, activity: room, held: 10, bytes: 100 },
      ...{ stretches: [], processed: 10, produced: 1 },
    });
    await engine.hears();
    say({ type: 'recalled', file: filed(), page: 5 });
    expect(await engine.hears()).toMatchObject([
      { type: 'vacate', claims: [{ lane: 0, activity: room, keep: false }] },
      { type: 'adopt', record: { page: 5 } },
    ]);
    expect(await pages()).toEqual([record(room, 5)]);
  });

  it('T6 a recalled page goes with a mind that never spoke', async () => {
    up();
    say({ type: 'recalled', file: filed(), page: 5 });
    expect(await pages()).toEqual([record(room, 5)]);
    await engine.hears();
    ada.end();
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', drop: [{ page: 5 }] }]);
  });
});
