/** The context as what gives memory back last: how much that frees, when it is tried again, and what it grows back to. */
import { describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import { bytesOf, type Holds, type Lease } from '../../../src/actors/broker/leases.js';
import { type Pool, poolsOf } from '../../../src/actors/broker/pools.js';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import { Resize, type Wish } from '../../../src/actors/broker/resize.js';
import type { EngineControl, EngineToBroker, Shape } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, settled, TestThread } from '../thread.js';

const shape = (cells: number, lanes: number): Shape => ({ lanes, cells, context: 256 });
const lease = (cells: number): Lease => ({
  ...{ owner: 'context', kind: 'context', tier: 'host', bytes: cells, floorBytes: 256 },
});

describe('the size of the context', () => {
  let kept: Wish | undefined;
  let now = 0;
  /** Those that a start of the broker has had made. */
  function start(): { readonly resize: Resize; readonly made: Shape[]; grow(cells: number): void } {
    const made: Shape[] = [];
    let cells = 0;
    const resize = new Resize({
      ...{ now: () => now, wish: kept, leases: () => [lease(cells)], waiting: () => 1 },
      keep: (wish) => {
        kept = wish;
      },
      relaunch: async (wanted) => {
        made.push(wanted);
        return wanted;
      },
    });
    const grow = (small: number): void => {
      cells = small;
      const [host] = poolsOf([lease(cells)], { ...UNBOUNDED, host: 1e6 }, true);
      for (const ms of [0, 60_000]) {
        now += ms;
        if (host !== undefined) resize.look(host);
      }
    };
    return { resize, made, grow };
  }

  it('B4 R4 is what it was asked to be before the broker was started again', () => {
    kept = undefined;
    start().resize.up(shape(768, 3));
    const again = start();
    again.resize.up(shape(256, 1));
    again.grow(256);
    expect(again.made).toEqual([shape(768, 3)]);
  });

  it('B4 R4 is what a user asked for while the broker was being started again', () => {
    kept = undefined;
    const before = start();
    before.resize.up(shape(768, 3));
    before.resize.asked(shape(512, 4));
    const again = start();
    again.resize.up(shape(512, 4));
    again.grow(512);
    expect(again.made).toEqual([]);
    const third = start();
    third.resize.up(shape(256, 2));
    third.grow(256);
    expect(third.made).toEqual([shape(512, 4)]);
  });

  it('B5 counts what left its lane for memory of the same pool as held', async () => {
    let leases = [lease(768)];
    const resize = new Resize({
      ...{ now: () => now, wish: undefined, keep() {}, leases: () => leases, waiting: () => 0 },
      relaunch: async (wanted) => {
        leases = [lease(256), { ...lease(0), owner: 'pages', kind: 'pages', bytes: 300, floorBytes: 0 }];
        return wanted;
      },
    });
    resize.up(shape(768, 3));
    const [host] = poolsOf(leases, { ...UNBOUNDED, host: 1e6 }, true) as [Pool];
    const before = bytesOf(leases);
    const { bytes } = await resize.ask(before - bytesOf([lease(256)]), host);
    expect(bytes).toBe(before - bytesOf([lease(256)]) - 300);
  });

  it('B4 T5 rests longer and longer when a turn that keeps its lane stands in its way', async () => {
    now = 0;
    const resize = new Resize({
      ...{ now: () => now, wish: undefined, keep() {}, leases: () => [lease(768)], waiting: () => 1 },
      relaunch: () => Promise.reject(new Error('a turn ran')),
    });
    resize.up(shape(768, 3));
    const [host] = poolsOf([lease(768)], { ...UNBOUNDED, host: 1e6 }, true) as [Pool];
    for (const restMs of [60_000, 120_000, 240_000, 480_000, 960_000, 960_000]) {
      expect(resize.isIn(host)).toBe(true);
      expect(await resize.ask(1, host)).toEqual({ outcome: 'refused', bytes: 0 });
      now += restMs - 1;
      expect(resize.isIn(host)).toBe(false);
      now += 1;
    }
  });

  it('B4 R4 is not what a user asked for in vain', () => {
    kept = undefined;
    const before = start();
    before.resize.up(shape(768, 3));
    before.resize.asked(shape(256, 1));
    before.resize.up(shape(768, 3));
    const again = start();
    again.resize.up(shape(256, 1));
    again.grow(256);
    expect(again.made).toEqual([shape(768, 3)]);
  });
});

describe('a broker that is started again', () => {
  it('B4 R4 has the context grow back that was made smaller before', async () => {
    const thread = await TestThread.start();
    const args = { pageBytes: 1_000, budgets: { ...UNBOUNDED, host: 10_000 }, status: createStatus() };
    const broker = await thread.spawn(definition as never, 'broker', args);
    type Says = EngineToBroker | Holds;
    const engine = await Party.enter<Says, EngineControl>(thread, 'engine', () => broker);
    const up = (epoch: number, cells: number, lanes: number): void => {
      engine.tell({ type: 'holds', holder: 'engine', onePool: true, leases: [lease(cells)] });
      engine.tell({ type: 'up', engine: engine.id, epoch, shape: shape(cells, lanes), pages: [] });
    };
    up(0, 768, 3);
    await settled();
    // A message without its fields, which a handler does not survive.
    engine.tell({ type: 'up' } as never);
    await thread.pass(1_000);
    up(1, 256, 1);
    const ada = await Party.enter<MindToBroker, BrokerToMind>(thread, 'ada', () => broker);
    for (const ticket of [1, 2]) {
      const what = { activity: `${ada.id}/${ticket}`, class: 'interactive', cells: 200, genes: [] } as const;
      ada.tell({ type: 'request', ticket, ...what });
    }
    await thread.pass(66_000);
    engine.tell({
      ...{ type: 'ran', grant: 2 ** 32 + 1, lane: 0, activity: undefined },
      ...{ held: 0, bytes: 0, stretches: [], processed: 1, produced: 1 },
    });
    const told = (await engine.hears()).filter(({ type }) => type === 'relaunch');
    expect(told).toEqual([{ type: 'relaunch', shape: shape(768, 3) }]);
  });
});
