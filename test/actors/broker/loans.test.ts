/** Pages that the broker has written because memory is short, and what becomes of their files; the pager is told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { Holds } from '../../../src/actors/broker/leases.js';
import type {
  BrokerToMind,
  BrokerToPager,
  DiskWord,
  FiledPage,
  MindToBroker,
  PagerToBroker,
} from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker, PageRecord } from '../../../src/actors/engine/protocol.js';
import { OverDiskBudget, PageCorrupt } from '../../../src/errors.js';
import { toEnvelope } from '../../../src/runtime/errors.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker | Holds, EngineControl | { readonly type: 'trim' }>;
let ada: Party<MindToBroker, BrokerToMind>;
let pager: Party<MindToBroker | PagerToBroker | Holds, BrokerToPager>;
let room: string;

beforeEach(async () => {
  thread = await TestThread.start();
  const budgets = { device: undefined, host: 1_000, disk: 1_000 };
  broker = await thread.spawn(definition as never, 'broker', { pageBytes: 1e6, budgets });
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  pager = await Party.enter(thread, 'pager', () => broker);
  room = `${ada.id}/main`;
  pager.tell({ type: 'holds', holder: 'pager', leases: [] });
});

const record = (activity: string, page: number, bytes = 900): PageRecord => ({
  ...{ activity, page, held: 10, bytes },
});
const say = (word: DiskWord): void => pager.tell({ type: 'disk', word });
const pages = (): Promise<PageRecord[]> => thread.ask(broker, { type: 'pages' });
const filed = (lent = true): FiledPage => ({
  ...{ activity: room, mind: ada.id, held: 10, bytes: 900, said: 7, lent },
  file: { name: 'ada/main', generation: 1, time: 1, fingerprint: 'f', cells: 10, bytes: 900 },
});
/** The room has a page, and memory is short. */
const press = async (page = 1): Promise<void> => {
  engine.tell({
    ...{ type: 'up', engine: engine.id, epoch: page, pages: [record(room, page)] },
    shape: { lanes: 1, cells: 1000, context: 1000 },
  });
  const leases = [{ owner: 'pages', kind: 'pages', tier: 'host', bytes: 900, floorBytes: 0 } as const];
  engine.tell({ type: 'holds', holder: 'engine', leases, onePool: true });
  await thread.pass(5_000);
};
/** It is on disk because memory was short, and nowhere else. */
const lent = async (page = 1, file = filed()): Promise<void> => {
  await press(page);
  say({ type: 'filed', file, page, drop: false });
  say({ type: 'put-away', page, error: undefined });
  await settled();
  expect(await pages()).toEqual([]);
  await pager.hears();
};
let tickets = 0;
const request = (): void =>
  ada.tell({
    ...{ type: 'request', ticket: ++tickets, activity: room, class: 'interactive', cells: 100, genes: [] },
  });
/** The room's turn has its lane, and the room's page is in memory for it. */
async function granted(): Promise<{ ran(): void }> {
  request();
  const read = (await pager.hears()).find(({ type }) => type === 'read');
  if (read?.type === 'read') say({ type: 'read', read: read.read, record: record(room, 50), ms: 1 });
  if (read?.type === 'read') engine.tell({ type: 'paged', record: record(room, 50) });
  const given = (await ada.hears()).find(({ type }) => type === 'granted');
  if (read?.type === 'read') expect(await pager.hears()).toEqual([{ type: 'taken', page: 50 }]);
  if (given?.type !== 'granted') throw new Error('no lane was granted');
  const { grant, lane } = given;
  const effort = { held: 12, bytes: 950, stretches: [], processed: 2, produced: 2 };
  return { ran: () => engine.tell({ type: 'ran', grant, lane, activity: room, ...effort }) };
}
const takeBack = { type: 'take-back', name: 'ada/main' };

describe('a page that memory is too short for', () => {
  it('B4 is written, and is dropped when it is there', async () => {
    await press();
    expect(await pager.hears()).toEqual([
      {
        ...{ type: 'put-away', deadlineMs: 60_000 },
        pages: [{ activity: room, mind: ada.id, page: 1, bytes: 900, isFiled: false }],
      },
    ]);
    expect(await pages()).toHaveLength(1);
    say({ type: 'filed', file: filed(), page: 1, drop: false });
    say({ type: 'put-away', page: 1, error: undefined });
    await settled();
    expect(await pages()).toEqual([]);
    expect((await engine.hears()).at(-1)).toEqual({ type: 'trim', drop: [record(room, 1)] });
  });

  it('B4 is dropped where disk cannot take it', async () => {
    await press();
    const detail = { name: 'ada/main', needBytes: 900, usedBytes: 200, budgetBytes: 1_000 };
    say({ type: 'put-away', page: 1, error: toEnvelope(new OverDiskBudget(detail)) });
    await settled();
    expect(await pages()).toEqual([]);
  });

  it.each([
    ['is lost', () => pager.end()],
    ['is started again', () => pager.tell({ type: 'forget' })],
    ['says nothing', () => thread.pass(100_000)],
  ])('B4 is dropped where the pager %s', async (_, lose) => {
    await press();
    await lose();
    await settled();
    expect(await pages()).toEqual([]);
  });

  it('B4 stays when a turn came to need it meanwhile, and its file goes', async () => {
    await press();
    await granted();
    say({ type: 'filed', file: filed(), page: 1, drop: false });
    say({ type: 'put-away', page: 1, error: undefined });
    expect(await pages()).toHaveLength(1);
    expect((await pager.hears()).at(-1)).toEqual(takeBack);
  });

  it('B5 is asked for once, however long that takes', async () => {
    await press();
    await thread.pass(40_000);
    expect((await pager.hears()).filter(({ type }) => type === 'put-away')).toHaveLength(1);
  });

  it('B4 is dropped at once when it is on disk already', async () => {
    await lent();
    await granted();
    ada.tell({ type: 'withdraw', ticket: tickets });
    await thread.pass(15_000);
    expect(await pages()).toEqual([]);
    expect(await engine.hears()).toContainEqual({ type: 'trim', drop: [record(room, 50)] });
    expect(await pager.hears()).toEqual([]);
  });
});

describe('a file that pressure alone has written', () => {
  it('B4 goes when its room has come back and gone on', async () => {
    await lent();
    const turn = await granted();
    expect(await pager.hears()).toEqual([]);
    turn.ran();
    expect(await pager.hears()).toEqual([takeBack]);
  });

  it('B4 goes when its room is in a newer page', async () => {
    await lent();
    engine.tell({ type: 'paged', record: record(room, 9) });
    expect(await pager.hears()).toEqual([takeBack]);
  });

  it('B4 goes when its mind ends', async () => {
    await lent();
    ada.end();
    expect(await pager.hears()).toEqual([takeBack]);
  });

  it('B4 goes when it cannot be read', async () => {
    await lent();
    request();
    const read = (await pager.hears()).find(({ type }) => type === 'read');
    const error = toEnvelope(new PageCorrupt({ what: 'kv', reason: 'a test' }));
    if (read?.type === 'read') say({ type: 'unread', read: read.read, activity: room, error });
    expect(await pager.hears()).toEqual([takeBack]);
  });

  it.each([
    ['was spilled before', () => lent(1, filed(false))],
    [
      'was spilled then',
      async () => {
        await lent();
        say({ type: 'kept', name: 'ada/main' });
      },
    ],
  ])('B4 stays when its room %s', async (_, spill) => {
    await spill();
    (await granted()).ran();
    ada.end();
    expect(await pager.hears()).toEqual([]);
  });
});
