/** What the broker does with pages: rooms that leave their lanes and come back. The engine is told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker, PageRecord } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let ada: Party<MindToBroker, BrokerToMind>;
let pager: Party<MindToBroker, BrokerToMind>;

beforeEach(async () => {
  thread = await TestThread.start();
  broker = await thread.spawn(definition as never, 'broker', {
    pageBytes: 1000,
    budgets: UNBOUNDED,
    status: createStatus(),
  });
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  pager = await Party.enter(thread, 'pager', () => broker);
});

const up = (lanes: number, pages: readonly PageRecord[] = []): void =>
  engine.tell({
    type: 'up',
    engine: engine.id,
    epoch: 0,
    shape: { lanes, cells: 1000, context: 1000 },
    pages,
  });
const record = (activity: string, page: number, held = 10, bytes = 100): PageRecord => ({
  activity,
  page,
  held,
  bytes,
});
let tickets = 0;
const turn = (activity: string, cells = 100): void =>
  ada.tell({ type: 'request', ticket: ++tickets, activity, class: 'interactive', cells, genes: [] });
const move = (activity: string, kind: 'page-out' | 'page-in'): void =>
  pager.tell({ type: 'request', ticket: 1, activity, class: 'interactive', cells: 0, genes: [], move: kind });
const ran = (grant: number, activity: string | undefined, held: number, bytes = 100): void =>
  engine.tell({
    ...{ type: 'ran', grant, lane: 0, activity, held, bytes, stretches: [], processed: 1, produced: 1 },
  });
const grantOf = async (party: Party<MindToBroker, BrokerToMind>): Promise<number> =>
  (await party.hears()).reduce((last, message) => (message.type === 'granted' ? message.grant : last), -1);
const pages = (): Promise<PageRecord[]> => thread.ask(broker, { type: 'pages' });

describe('an activity that loses its lane', () => {
  it('P1 goes into a page; the oldest pages go for it when it would not fit', async () => {
    up(1, [record('x', 1, 10, 500), record('y', 2, 10, 400)]);
    turn('a');
    ran(await grantOf(ada), 'a', 20, 200);
    turn('b');
    expect(await ada.hears()).toMatchObject([{ type: 'granted', continues: false, vacated: 1 }]);
    expect(await engine.hears()).toEqual([
      {
        type: 'vacate',
        epoch: 0,
        claims: [{ lane: 0, activity: 'a', keep: true }],
        drop: [record('x', 1, 10, 500)],
      },
    ]);
    expect(await pages()).toEqual([record('y', 2, 10, 400), record('a', 0, 20, 200)]);
    engine.tell({ type: 'paged', record: record('a', 3, 20, 210) });
    expect((await pages()).at(-1)).toEqual(record('a', 3, 20, 210));
  });

  it('P1 has no page when the engine could make none', async () => {
    up(1);
    turn('a');
    ran(await grantOf(ada), 'a', 20);
    turn('b');
    await ada.hears();
    engine.tell({ type: 'unpaged', activity: 'a', page: 0 });
    expect(await pages()).toEqual([]);
  });

  it('T1 is granted the cells that its page takes', async () => {
    up(2, [record('a', 1, 400)]);
    turn('b', 700);
    await ada.hears();
    turn('a', 100);
    expect(await ada.hears()).toMatchObject([{ type: 'queued', reason: 'cells' }]);
  });

  it('P2 its page is not given up for another while it waits or runs', async () => {
    up(2, [record('a', 1, 10, 900)]);
    turn('b');
    const b = await grantOf(ada);
    turn('c');
    await ada.hears();
    turn('a');
    ran(b, 'b', 20, 200);
    await ada.hears();
    expect(await engine.hears()).toMatchObject([{ claims: [{ activity: 'b', keep: false }], drop: [] }]);
  });
});

describe('a move', () => {
  it('P1 out of a lane is granted that lane, before all turns', async () => {
    up(1);
    turn('a');
    const grant = await grantOf(ada);
    turn('b');
    move('a', 'page-out');
    await ada.hears();
    expect(await pager.hears()).toEqual([]);
    ran(grant, 'a', 20);
    expect(await pager.hears()).toMatchObject([{ type: 'granted', ticket: 1, lane: 0, continues: true }]);
    expect(await ada.hears()).toEqual([]);
    engine.tell({ type: 'paged', record: record('a', 5, 20) });
    ran(grant + 2, undefined, 0, 0);
    expect(await ada.hears()).toMatchObject([{ type: 'granted', lane: 0, continues: false, vacated: 0 }]);
  });

  it('P1 that failed leaves the lane as it was', async () => {
    up(1);
    turn('a');
    ran(await grantOf(ada), 'a', 20);
    move('a', 'page-out');
    ran(await grantOf(pager), 'a', 20);
    turn('a');
    expect(await ada.hears()).toMatchObject([{ type: 'granted', continues: true }]);
  });

  it('P2 into a lane takes any that is free, and the turn behind it goes on there', async () => {
    up(2, [record('a', 1, 300)]);
    move('a', 'page-in');
    const grant = await grantOf(pager);
    turn('a');
    expect(await ada.hears()).toEqual([]);
    engine.tell({ type: 'unpaged', activity: 'a', page: 1 });
    ran(grant, 'a', 300);
    expect(await ada.hears()).toMatchObject([{ type: 'granted', lane: 0, continues: true }]);
  });

  it.each([
    ['page-out', 'EmptyLane'],
    ['page-in', 'NoSuchPage'],
  ] as const)('P1 %s of an activity that is nowhere is refused: %s', async (kind, code) => {
    up(1);
    move('a', kind);
    expect(await pager.hears()).toMatchObject([{ type: 'refused', ticket: 1, error: { code } }]);
  });

  it('P1 out of an activity that has left its lane already is refused', async () => {
    up(1, [record('a', 1)]);
    move('a', 'page-out');
    expect(await pager.hears()).toMatchObject([{ type: 'refused', error: { code: 'EmptyLane' } }]);
  });
});

describe('a page', () => {
  it('P2 is dropped on demand, and unknown ones are refused', async () => {
    up(1, [record('a', 1)]);
    await thread.ask(broker, { type: 'drop-page', activity: 'a' });
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', claims: [], drop: [{ page: 1 }] }]);
    expect(await pages()).toEqual([]);
    await expect(thread.ask(broker, { type: 'drop-page', activity: 'a' })).rejects.toMatchObject({
      code: 'NoSuchPage',
    });
  });

  it('P2 is not dropped while a turn is about to need it', async () => {
    up(1, [record('a', 2)]);
    turn('a');
    await ada.hears();
    const drop = thread.ask(broker, { type: 'drop-page', activity: 'a' });
    await expect(drop).rejects.toMatchObject({ code: 'NoSuchPage' });
  });

  it('E7 is given up when all cells there are could not hold it, and its turn is read anew', async () => {
    up(1, [record('a', 1, 1_001), record('b', 2, 1_000)]);
    expect(await pages()).toEqual([record('b', 2, 1_000)]);
    expect(await engine.hears()).toMatchObject([{ type: 'vacate', claims: [], drop: [{ page: 1 }] }]);
    turn('a');
    expect(await ada.hears()).toMatchObject([{ type: 'granted', continues: false, vacated: 1 }]);
  });

  it('T6 goes when its mind has left', async () => {
    up(1);
    turn(`${ada.id}/main`);
    ran(await grantOf(ada), undefined, 0);
    engine.tell({ type: 'paged', record: record(`${ada.id}/main`, 9) });
    engine.tell({ type: 'paged', record: record('77/main', 10) });
    await pages();
    await engine.hears();
    ada.end();
    expect(await engine.hears()).toMatchObject([{ claims: [], drop: [{ page: 9 }] }]);
    expect(await pages()).toMatchObject([{ page: 10 }]);
  });
});
