/** The broker's ledger and what it does under pressure; those who hold memory are told what to say and how to answer. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { Holds, Lease, LeaseKind } from '../../../src/actors/broker/leases.js';
import type { MemoryReport } from '../../../src/actors/broker/memory-report.js';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import type { EngineToBroker, PageRecord } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import type { Relieve } from '../../../src/actors/residency/protocol.js';
import type { Context } from '../../../src/runtime/actor.js';
import { Band, type Message } from '../../../src/runtime/message.js';
import { Party, settled, TestThread } from '../thread.js';

let thread: TestThread;
let broker: number;

/** One who holds memory: tells the broker what it is told to, and answers what it is asked. */
class Holder {
  readonly asked: Message[] = [];
  answer: (message: Message) => unknown = () => ({ outcome: 'refused', bytes: 0 });
  ctx: Context | undefined;

  static async enter(name: string): Promise<Holder> {
    const holder = new Holder();
    const hear = (message: Message): unknown => {
      holder.asked.push(message);
      return holder.answer(message);
    };
    await thread.spawn(
      {
        kind: 'holder',
        start: (ctx) => {
          holder.ctx = ctx;
          return { receive: hear, control: hear };
        },
      },
      name,
    );
    return holder;
  }

  async tell(message: Holds | EngineToBroker): Promise<void> {
    this.ctx?.tell(broker, { ...message }, { band: Band.reserved });
    await settled();
  }

  types = (): string[] => this.asked.map(({ type }) => type);
}

let engine: Holder;
let residency: Holder;
beforeEach(async () => {
  thread = await TestThread.start();
  const budgets = { device: undefined, host: 1_000, disk: 1_000 };
  broker = await thread.spawn(definition as never, 'broker', {
    ...{ pageBytes: 1_000, budgets, status: createStatus() },
  });
  engine = await Holder.enter('engine');
  residency = await Holder.enter('residency');
});

const lease = (kind: LeaseKind, bytes: number, floorBytes = 0): Lease => ({
  ...{ owner: kind, kind, tier: 'host', bytes, floorBytes },
});
const holds = (holder: Holds['holder'], ...leases: Lease[]): Holds => ({
  type: 'holds',
  holder,
  leases,
  onePool: true,
});
const memory = (): Promise<MemoryReport> => thread.ask(broker, { type: 'memory' }, Band.control);
const host = async () => (await memory()).pools.find(({ name }) => name === 'host');
const alerts = () => thread.probes.filter(({ name }) => name === 'memory.pressure');
const up = (cells: number, lanes = 2, pages: PageRecord[] = []): EngineToBroker => ({
  ...{ type: 'up', engine: engine.ctx?.self ?? 0, epoch: 0, shape: { lanes, cells, context: 256 }, pages },
});
const page = (number: number, bytes: number): PageRecord => ({
  activity: `${number}/main`,
  page: number,
  held: 10,
  bytes,
});

describe('the ledger', () => {
  it('B1 has what each holder said last, and cells beside bytes', async () => {
    await engine.tell(up(512));
    await engine.tell(holds('engine', lease('weights', 300, 300)));
    await residency.tell(holds('residency', lease('genes', 20)));
    await residency.tell(holds('residency', lease('genes', 50), lease('genes', 10)));
    const { leases, pools, cells } = await memory();
    expect(leases.map(({ kind, bytes, holder }) => [kind, bytes, holder])).toEqual([
      ['weights', 300, 'engine'],
      ['genes', 50, 'residency'],
      ['genes', 10, 'residency'],
    ]);
    expect(pools[0]).toMatchObject({
      name: 'host',
      heldBytes: 360,
      floorBytes: 300,
      usedBytes: 60,
      capacityBytes: 700,
    });
    expect(pools[0]?.kinds).toEqual([
      { kind: 'weights', bytes: 300, floorBytes: 300 },
      { kind: 'genes', bytes: 60, floorBytes: 0 },
    ]);
    expect(cells).toEqual({ total: 512, granted: 0, idle: 0, saved: 0 });
  });

  it('B1 shows the pages of the store by their rooms, and what it charges beyond them', async () => {
    await engine.tell(up(512, 2, [page(7, 100), page(8, 50)]));
    await engine.tell(holds('engine', lease('pages', 160)));
    const { leases, pools } = await memory();
    expect(leases.map(({ owner, bytes }) => [owner, bytes])).toEqual([
      ['7/main', 100],
      ['8/main', 50],
      ['pages', 10],
    ]);
    expect(pools[0]?.heldBytes).toBe(160);
  });

  it('B1 adds up also while a page has been made that the store has not been heard to charge', async () => {
    await engine.tell(up(512, 2, [page(7, 100), page(8, 50)]));
    await engine.tell(holds('engine', lease('pages', 120)));
    const { leases, pools } = await memory();
    expect(leases.map(({ owner, bytes }) => [owner, bytes])).toEqual([
      ['7/main', 100],
      ['pages', 20],
    ]);
    expect(pools[0]?.heldBytes).toBe(120);
  });

  it('B2 what a holder that is gone held counts until the one after it has said what it holds', async () => {
    await residency.tell(holds('residency', lease('genes', 50)));
    residency.ctx?.stop();
    await settled();
    expect((await memory()).leases).toMatchObject([{ bytes: 50, expired: true }]);
    expect((await host())?.heldBytes).toBe(50);
    residency = await Holder.enter('residency');
    await residency.tell(holds('residency', lease('genes', 20)));
    expect((await memory()).leases).toMatchObject([{ bytes: 20, expired: false }]);
  });

  it('B4 takes no page out of memory because the disk is full', async () => {
    const pager = await Holder.enter('pager');
    await engine.tell(up(512, 2, [page(7, 100)]));
    await engine.tell(holds('engine', lease('pages', 100)));
    await pager.tell(holds('pager', { ...lease('pages', 990), tier: 'disk' }));
    await thread.pass(6_000);
    expect(pager.types()).toEqual([]);
    expect(engine.types()).not.toContain('trim');
    expect(alerts()).toMatchObject([{ pool: 'disk', freedBytes: 0 }]);
  });

  it('B1 is asked for again by a broker that was started again', async () => {
    await residency.tell(holds('residency', lease('genes', 50)));
    // A message without its fields, which a handler does not survive.
    residency.ctx?.tell(broker, { type: 'up' }, { band: Band.control });
    await thread.pass(1_000);
    expect(residency.types()).toContain('leases-again');
  });
});

describe('pressure', () => {
  it('B3 is looked at once for changes that come together, and each pool that is tried has one alert', async () => {
    for (const bytes of [810, 820, 850]) await residency.tell(holds('residency', lease('genes', bytes)));
    expect(alerts()).toEqual([]);
    residency.answer = () => ({ outcome: 'refused', bytes: 0 });
    await thread.pass(100);
    expect(residency.asked.filter(({ type }) => type === 'relieve')).toMatchObject([
      { bytes: 250, tiers: ['device', 'host'] },
    ]);
    expect(alerts()).toMatchObject([
      { pool: 'host', level: 'high', wantedBytes: 250, freedBytes: 0, stuckBytes: 250 },
    ]);
    expect((await memory()).alerts).toHaveLength(1);
  });

  it('B3 is tried again every five seconds, and not said again', async () => {
    residency.answer = () => ({ outcome: 'refused', bytes: 0 });
    await residency.tell(holds('residency', lease('genes', 850)));
    await thread.pass(60_000);
    expect(residency.asked.filter(({ type }) => type === 'relieve')).toHaveLength(12);
    expect(alerts()).toHaveLength(1);
  });

  it('B3 leaves nothing to do where it is low', async () => {
    await residency.tell(holds('residency', lease('genes', 500)));
    await thread.pass(1e6);
    expect(residency.types()).toEqual(['pool-use']);
    expect(alerts()).toEqual([]);
  });

  it('B3 is told to the residency when it has changed', async () => {
    await engine.tell(holds('engine', lease('weights', 300, 300)));
    await residency.tell(holds('residency', lease('genes', 100)));
    await thread.pass(100);
    await engine.tell(holds('engine', lease('weights', 300, 300)));
    await thread.pass(100);
    expect(residency.asked).toEqual([
      { type: 'pool-use', usedBytes: 100, capacityBytes: 700, tiers: ['device', 'host'] },
    ]);
  });
});

describe('relief', () => {
  it('B4 gives back what nobody uses, then genes, then the oldest pages that no turn needs', async () => {
    await engine.tell(up(512, 2, [page(7, 100), page(8, 100), page(9, 100)]));
    engine.answer = ({ type }) => (type === 'trim' ? 20 : undefined);
    residency.answer = ({ type }) => (type === 'relieve' ? { outcome: 'partial', bytes: 80 } : undefined);
    await residency.tell(holds('residency', lease('genes', 500)));
    await engine.tell(holds('engine', lease('pages', 300), lease('arena', 50)));
    await thread.pass(100);
    expect(residency.asked.at(-1)).toMatchObject({ type: 'relieve', bytes: 230 });
    const told = engine.asked;
    expect(told).toEqual([
      { type: 'trim', drop: [] },
      { type: 'trim', drop: [page(7, 100), page(8, 100)] },
    ]);
    expect(alerts()).toMatchObject([{ wantedBytes: 250, freedBytes: 120, stuckBytes: 130 }]);
  });

  it('B5 shows what was asked for as pending while the holder works on it', async () => {
    residency.answer = ({ type }) => {
      if (type === 'relieve') residency.ctx?.replyLater();
    };
    await residency.tell(holds('residency', lease('genes', 850)));
    await thread.pass(100);
    expect((await host())?.pendingBytes).toBe(250);
    await thread.pass(60_000);
    expect(residency.asked.filter(({ type }) => type === 'relieve').length).toBeGreaterThan(1);
  });

  it('B5 R4 is not taken for one of before by a residency that is still at that', async () => {
    residency.answer = () => ({ outcome: 'deferred', bytes: 0 });
    const asks = () =>
      (residency.asked as unknown as Relieve[]).flatMap(({ type, ask }) => (type === 'relieve' ? [ask] : []));
    await residency.tell(holds('residency', lease('genes', 900)));
    await thread.pass(200);
    expect(asks()).toHaveLength(1);
    await engine.tell({ ...up(512), shape: null } as never);
    await thread.pass(100);
    await residency.tell(holds('residency', lease('genes', 900)));
    await thread.pass(200);
    expect(new Set(asks()).size).toBe(2);
  });
});

describe('the context', () => {
  const context = (cells: number): Holds => holds('engine', lease('context', cells, 256));
  const told = () => engine.asked.filter(({ type }) => type === 'relaunch');

  it('B4 is made smaller when nothing else helps, and larger when its pool was calm for a minute and a turn waits', async () => {
    await engine.tell(up(768, 3));
    await engine.tell(context(768));
    await residency.tell(holds('residency', lease('genes', 200)));
    await thread.pass(100);
    expect(told()).toEqual([{ type: 'relaunch', shape: { lanes: 1, cells: 256, context: 256 } }]);
    await engine.tell(context(256));
    await engine.tell({ ...up(256, 1), epoch: 1 } as EngineToBroker);
    await settled();
    expect(alerts()).toMatchObject([{ level: 'critical', freedBytes: 512 }]);
    await residency.tell(holds('residency'));
    const ada = await Party.enter<MindToBroker, BrokerToMind>(thread, 'ada', () => broker);
    const request = (ticket: number): MindToBroker => ({
      ...{ type: 'request', ticket, activity: `${ticket}`, class: 'interactive', cells: 200, genes: [] },
    });
    ada.tell(request(1));
    ada.tell(request(2));
    await thread.pass(60_000);
    expect(told()).toHaveLength(1);
    const [granted] = await ada.hears();
    expect(granted).toMatchObject({ type: 'granted', lane: 0 });
    await thread.pass(6_000);
    await engine.tell({
      ...{
        type: 'ran',
        grant: 1,
        lane: 0,
        activity: undefined,
        held: 0,
        bytes: 0,
        stretches: [],
        processed: 1,
        produced: 1,
      },
    } as EngineToBroker);
    expect(told()[1]).toMatchObject({ shape: { lanes: 2, cells: 512 } });
  });

  it('B4 is not touched while other memory suffices', async () => {
    await engine.tell(up(768, 3));
    await engine.tell(context(768));
    residency.answer = ({ type }) => (type === 'relieve' ? { outcome: 'released', bytes: 300 } : undefined);
    await residency.tell(holds('residency', lease('genes', 150)));
    await thread.pass(100);
    expect(told()).toEqual([]);
  });
});
