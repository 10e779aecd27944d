/** Rooms that are forgotten, as the broker has them: lanes, pages, what is read and written, and genes. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import { LaneWriting } from '../../../src/actors/broker/lane-writing.js';
import { Occupancy } from '../../../src/actors/broker/occupancy.js';
import type {
  BrokerToMind,
  BrokerToPager,
  DiskWord,
  FiledPage,
  MindToBroker,
  PagerToBroker,
} from '../../../src/actors/broker/protocol.js';
import { Writings } from '../../../src/actors/broker/writings.js';
import type { EngineControl, EngineToBroker, PageRecord } from '../../../src/actors/engine/protocol.js';
import type { BrokerToResidency, ResidencyToBroker } from '../../../src/actors/residency/protocol.js';
import { NoSuchPage } from '../../../src/errors.js';
import { toEnvelope } from '../../../src/runtime/errors.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let ada: Party<MindToBroker, BrokerToMind>;
let pager: Party<MindToBroker | PagerToBroker, BrokerToPager | BrokerToMind>;
let residency: Party<ResidencyToBroker, BrokerToResidency>;
let room: string;
beforeEach(async () => {
  thread = await TestThread.start();
  broker = await thread.spawn(definition as never, 'broker', { pageBytes: 1000 });
  engine = await Party.enter(thread, 'engine', () => broker);
  ada = await Party.enter(thread, 'ada', () => broker);
  pager = await Party.enter(thread, 'pager', () => broker);
  residency = await Party.enter(thread, 'residency', () => broker);
  room = `${ada.id}/main`;
  const shape = { lanes: 1, cells: 1000, context: 1000 };
  engine.tell({ type: 'up', engine: engine.id, epoch: 0, pages: [], shape });
  await engine.hears();
});

const say = (word: DiskWord): void => pager.tell({ type: 'disk', word });
const forget = () => thread.ask<boolean>(broker, { type: 'forget-room', activity: room } as never);
const rooms = () => thread.ask(broker, { type: 'rooms' } as never);
const record = (page: number): PageRecord => ({ activity: room, page, held: 10, bytes: 100 });
const filed = (): FiledPage => ({
  ...{ activity: room, mind: ada.id, held: 10, bytes: 100, said: 7, lent: false },
  file: { name: 'ada/main', generation: 1, time: 1, fingerprint: 'f', cells: 10, bytes: 100 },
});
let tickets = 0;
/** A turn of the room; answers the number of its grant. */
async function granted(genes: readonly string[] = []): Promise<number> {
  const named = genes.map((gene) => ({ gene, scale: 1 }));
  const request = { ticket: ++tickets, activity: room, cells: 100, genes: named };
  ada.tell({ type: 'request', class: 'interactive', ...request });
  await settled();
  for (const said of await residency.hears()) {
    if (said.type !== 'pin') continue;
    const genes = named.map(({ gene, scale }) => ({ name: gene, gene: 1, scale }));
    residency.tell({ type: 'pinned', grant: said.grant, genes, missed: { genes: 0, bytes: 0 } });
  }
  const last = (await ada.hears()).at(-1);
  return last?.type === 'granted' ? last.grant : -1;
}
const ran = (grant: number): void =>
  engine.tell({
    ...{ type: 'ran', grant, lane: 0, activity: room, held: 10, bytes: 100 },
    ...{ stretches: [], processed: 10, produced: 0 },
  });

describe('a room that is forgotten', () => {
  it('T8 leaves its idle lane, and nothing of it is kept', async () => {
    ran(await granted());
    await engine.hears();
    expect(await forget()).toBe(true);
    const claims = [{ lane: 0, activity: room, keep: false }];
    expect(await engine.hears()).toEqual([{ type: 'vacate', epoch: 0, claims, drop: [] }]);
    expect(await rooms()).toMatchObject({ places: [] });
    expect(await forget()).toBe(true);
    expect(await engine.hears()).toEqual([]);
  });

  it('P2 P6 loses its page, and its file is of no room', async () => {
    engine.tell({ type: 'paged', record: record(3) });
    say({ type: 'filed', file: filed(), page: 3, drop: false });
    expect(await forget()).toBe(true);
    expect(await engine.hears()).toEqual([{ type: 'vacate', epoch: 0, claims: [], drop: [record(3)] }]);
    expect(await rooms()).toMatchObject({ places: [] });
  });

  it('P5 has a new turn before its file has gone, which does not read that', async () => {
    say({ type: 'filed', file: filed(), page: 3, drop: true });
    await forget();
    expect(await granted()).toBeGreaterThan(0);
    expect(await pager.hears()).toEqual([]);
  });

  it('P5 has a new turn that waits for its file to be read, and begins anew instead', async () => {
    say({ type: 'filed', file: filed(), page: 3, drop: true });
    expect(await granted()).toBe(-1);
    expect(await pager.hears()).toMatchObject([{ type: 'read', read: 1 }]);
    expect(await forget()).toBe(true);
    say({ type: 'unread', read: 1, activity: room, error: toEnvelope(new NoSuchPage({ name: 'ada/main' })) });
    expect((await ada.hears()).at(-1)).toMatchObject({ type: 'granted', read: undefined });
  });

  it('T8 has a new turn that waits, and is not kept for it, should that be cancelled', async () => {
    ran(await granted());
    const other = `${ada.id}/other`;
    const request = { class: 'interactive', cells: 1000, genes: [] } as const;
    ada.tell({ type: 'request', ...request, ticket: ++tickets, activity: other });
    ada.tell({ type: 'request', ...request, ticket: ++tickets, activity: room });
    await engine.hears();
    expect(await forget()).toBe(true);
    ada.tell({ type: 'withdraw', ticket: tickets });
    await settled();
    expect(JSON.stringify(await rooms())).not.toContain(room);
  });

  it('R4 T8 has a run that its mind has lost, and is forgotten when that has ended', async () => {
    const grant = await granted();
    ada.tell({ type: 'forget' });
    await settled();
    expect(await forget()).toBe(false);
    ran(grant);
    await engine.hears();
    expect(await forget()).toBe(true);
    const claims = [{ lane: 0, activity: room, keep: false }];
    expect(await engine.hears()).toEqual([{ type: 'vacate', epoch: 0, claims, drop: [] }]);
    expect(await rooms()).toMatchObject({ places: [] });
  });

  it('P5 is not read any more for a turn that was cancelled', async () => {
    engine.tell({ type: 'paged', record: record(3) });
    say({ type: 'filed', file: filed(), page: 3, drop: true });
    await granted();
    ada.tell({ type: 'withdraw', ticket: tickets });
    expect(await pager.hears()).toMatchObject([{ type: 'read', read: 1 }]);
    await forget();
    expect(await pager.hears()).toEqual([{ type: 'stop-reading', read: 1 }]);
    say({ type: 'read', read: 1, record: record(9), ms: 1 });
    expect(await pager.hears()).toEqual([{ type: 'release', page: 9 }]);
    expect(await thread.ask(broker, { type: 'pages' } as never)).toEqual([]);
  });

  it('G6 wants no genes any more', async () => {
    const stock = { named: new Map([['calm', 1]]), fixed: [], slots: 4 };
    residency.tell({ type: 'genes-up', stock, activities: [] });
    ran(await granted(['calm']));
    await residency.hears();
    await forget();
    expect(await residency.hears()).toEqual([{ type: 'bare', activity: room }]);
  });
});

describe('what is known of a room that was forgotten', () => {
  const shape = { lanes: 1, cells: 100, context: 100 };
  const page: PageRecord = { activity: '5/a', page: 7, held: 20, bytes: 200 };

  it('E7 a page that another engine still finds is dropped, until the room has a turn', () => {
    const told: EngineControl[] = [];
    const occupancy = new Occupancy(1_000, { now: 0 }, (message) => told.push(message));
    const drop = { type: 'vacate', epoch: 0, claims: [], drop: [page] };
    occupancy.adopt(page);
    told.length = 0;
    occupancy.forgetRoom('5/a');
    expect(told).toEqual([drop]);
    // The one that was lost over it had not heard that.
    for (const engine of [1, 2]) {
      occupancy.hear({ type: 'paged', record: page });
      occupancy.open(engine, shape, [page, { ...page, activity: '5/b', page: 8 }]);
      expect(told.splice(1)).toEqual([
        { ...drop, epoch: engine - 1 },
        { ...drop, epoch: engine },
      ]);
      expect(occupancy.pages.all()).toMatchObject([{ page: 8 }]);
    }
    occupancy.begins('5/a');
    occupancy.hear({ type: 'paged', record: { ...page, page: 9 } });
    occupancy.open(3, shape, [{ ...page, page: 9 }]);
    expect(told.splice(1)).toEqual([]);
  });

  const ctx = { now: 0, wait: () => () => {}, after: () => () => {}, tell: () => true } as never;
  const files = { of: () => undefined } as never;
  /** Says whether it has settled. */
  function watched(promise: Promise<void>): () => boolean {
    let settled = false;
    void promise.then(() => {
      settled = true;
    });
    return () => settled;
  }

  it('B4 a page of it that is being written is waited for, and no other', async () => {
    const writings = new Writings(ctx, files);
    void writings.write([page, { ...page, activity: '5/b', page: 8 }], 2);
    const isStill = watched(writings.still('5/a'));
    await writings.still('5/c');
    writings.over(8, undefined);
    await settled();
    expect(isStill()).toBe(false);
    writings.over(7, undefined);
    await settled();
    expect(isStill()).toBe(true);
  });

  it('B4 its lane that is being written is waited for, and no other', async () => {
    const writing = new LaneWriting(ctx, files);
    const lane = { lane: 0, grant: 3, activity: '5/a', held: 20 };
    void writing.write({ ...lane, bytes: 1 } as never, 2);
    const isStill = watched(writing.still('5/a'));
    await writing.still('5/b');
    await settled();
    expect(isStill()).toBe(false);
    writing.over(lane, undefined);
    await settled();
    expect(isStill()).toBe(true);
  });
});
