/** The broker itself; its minds and its engine are told what to say. */
import { beforeEach, describe, expect, it } from 'vitest';
import definition from '../../../src/actors/broker/broker.js';
import type { BrokerToMind, MindToBroker } from '../../../src/actors/broker/protocol.js';
import type { EngineControl, EngineToBroker } from '../../../src/actors/engine/protocol.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import { UNBOUNDED } from '../budgets.js';
import { Party, type Spoken, settled, TestThread } from '../thread.js';

const NO_GENES = { phenotype: { genes: [], missed: { genes: 0, bytes: 0 } } };
/** Room for one hundred tokens of `ran`. */
const PAGE_BYTES = 1000;

let thread: TestThread;
let broker: number;
let engine: Party<EngineToBroker, EngineControl>;
let ada: Party<MindToBroker, BrokerToMind>;
let ben: Party<MindToBroker, BrokerToMind>;

const enter = <Says extends Spoken, Hears>(name: string): Promise<Party<Says, Hears>> =>
  Party.enter(thread, name, () => broker);

beforeEach(async () => {
  thread = await TestThread.start();
  broker = await thread.spawn(definition as never, 'broker', {
    pageBytes: PAGE_BYTES,
    budgets: UNBOUNDED,
    status: createStatus(),
  });
  engine = await enter('engine');
  ada = await enter('ada');
  ben = await enter('ben');
});

const up = (lanes: number, cells: number, epoch = 0): EngineToBroker => ({
  type: 'up',
  engine: engine.id,
  epoch,
  shape: { lanes, cells, context: cells },
  pages: [],
});
const request = (ticket: number, activity: string, cells = 100): MindToBroker => ({
  type: 'request',
  ticket,
  activity,
  class: 'interactive',
  cells,
  genes: [],
});
const ran = (grant: number, activity: string | undefined, held: number): EngineToBroker => ({
  type: 'ran',
  grant,
  lane: 0,
  activity,
  held,
  bytes: 10 * held,
  stretches: [],
  processed: 10,
  produced: 10,
});
describe('a grant', () => {
  it('T1 names a lane, the start of the engine, and whether the lane holds the KV', async () => {
    engine.tell(up(2, 1000, 7));
    ada.tell(request(5, 'a'));
    expect(await ada.hears()).toEqual([
      {
        ...NO_GENES,
        type: 'granted',
        ticket: 5,
        grant: 1,
        epoch: 7,
        lane: 0,
        continues: false,
        sharing: 0,
        vacated: 0,
      },
    ]);
    engine.tell(ran(1, 'a', 50));
    ada.tell(request(6, 'a'));
    expect(await ada.hears()).toMatchObject([{ ticket: 6, grant: 2, lane: 0, continues: true }]);
  });

  it('T1 of more cells than there are is refused', async () => {
    engine.tell(up(2, 1000));
    ada.tell(request(5, 'a', 1001));
    expect(await ada.hears()).toMatchObject([
      { type: 'refused', ticket: 5, error: { code: 'ContextFull', detail: { needTokens: 1001 } } },
    ]);
  });

  it('T1 of a lane that holds the KV of another has it cleared first', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    engine.tell(ran(1, 'a', 50));
    ben.tell(request(1, 'b'));
    expect(await ben.hears()).toMatchObject([{ type: 'granted', lane: 0, continues: false, vacated: 1 }]);
    expect(await engine.hears()).toEqual([
      { type: 'vacate', epoch: 0, claims: [{ lane: 0, activity: 'a', keep: true }], drop: [] },
    ]);
  });

  it('T1 that needs cells which idle lanes hold has those vacated; what no page can hold is lost', async () => {
    engine.tell(up(2, 1000));
    ada.tell(request(1, 'a', 900));
    await ada.hears();
    engine.tell(ran(1, 'a', 500));
    ben.tell(request(1, 'b', 600));
    await ben.hears();
    expect(await engine.hears()).toEqual([
      { type: 'vacate', epoch: 0, claims: [{ lane: 0, activity: 'a', keep: false }], drop: [] },
    ]);
  });

  it('T1 that is withdrawn before it was used leaves the lane as it was', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    engine.tell(ran(1, 'a', 50));
    await ada.hears();
    ada.tell(request(2, 'a'));
    ada.tell({ type: 'withdraw', ticket: 2 });
    ada.tell(request(3, 'a'));
    expect(await ada.hears()).toMatchObject([
      { ticket: 2, continues: true },
      { ticket: 3, continues: true },
    ]);
  });

  it('E5 waits for the lane of its activity, when the engine has not yet told that it is free', async () => {
    engine.tell(up(2, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    ada.tell(request(2, 'a'));
    expect(await ada.hears()).toEqual([]);
    engine.tell(ran(1, 'a', 50));
    expect(await ada.hears()).toMatchObject([{ type: 'granted', lane: 0, continues: true }]);
  });
});

describe('a wait', () => {
  it('T3 is told once with its reason, and again when the reason changes', async () => {
    engine.tell(up(2, 1000));
    ada.tell(request(1, 'a', 900));
    await ada.hears();
    ben.tell(request(1, 'b', 900));
    expect(await ben.hears()).toEqual([{ type: 'queued', ticket: 1, reason: 'cells' }]);
    ada.tell(request(2, 'c', 50));
    expect(await ada.hears()).toMatchObject([{ type: 'granted', lane: 1 }]);
    expect(await ben.hears()).toEqual([{ type: 'queued', ticket: 1, reason: 'lane' }]);
    ada.tell(request(3, 'd', 50));
    expect(await ada.hears()).toEqual([{ type: 'queued', ticket: 3, reason: 'lane' }]);
    expect(await ben.hears()).toEqual([]);
  });

  it('T3 of hundreds is told once when it begins, and a change of its reason within a second', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    for (let i = 0; i < 300; i++) ben.tell(request(i, `b${i}`));
    expect(await ben.hears()).toHaveLength(300);
    engine.end();
    expect(await ben.hears()).toEqual([]);
    await thread.pass(1_000);
    const heard = await ben.hears();
    expect(heard).toHaveLength(300);
    expect(heard[0]).toEqual({ type: 'queued', ticket: 0, reason: 'relaunching' });
    await thread.pass(5_000);
    expect(await ben.hears()).toEqual([]);
  });

  it('T1 holds nothing: it can be withdrawn, and the next one is granted', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    ada.tell(request(2, 'b'));
    ben.tell(request(1, 'c'));
    ada.tell({ type: 'withdraw', ticket: 2 });
    await ada.hears();
    engine.tell(ran(1, 'a', 10));
    expect(await ben.hears()).toMatchObject([{ type: 'queued' }, { type: 'granted' }]);
    expect(await ada.hears()).toEqual([]);
  });
});

describe('a mind that is gone', () => {
  it('T6 has its grant taken back, and the lane goes to the next', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    ben.tell(request(1, 'b'));
    await ben.hears();
    ada.end();
    expect(await engine.hears()).toMatchObject([{ type: 'revoke', grant: 1, error: { code: 'MindLeft' } }]);
    engine.tell({ type: 'never-ran', grant: 1 });
    expect(await ben.hears()).toMatchObject([{ type: 'granted', lane: 0 }]);
  });

  it('T6 waits no more', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    ben.tell(request(1, 'b'));
    await ben.hears();
    ben.end();
    await settled();
    engine.tell(ran(1, 'a', 10));
    ada.tell(request(2, 'c'));
    expect(await ada.hears()).toMatchObject([{ type: 'granted', ticket: 2 }]);
  });

  it('T6 and was started again is known anew', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    ada.tell({ type: 'forget' });
    ada.tell(request(9, 'a'));
    expect(await engine.hears()).toMatchObject([{ type: 'revoke', grant: 1 }]);
    engine.tell(ran(1, 'a', 10));
    expect(await ada.hears()).toMatchObject([{ type: 'granted', ticket: 9, continues: true }]);
  });
});

describe('an engine that is gone', () => {
  it('E7 voids what was granted; those who wait go on waiting for the next', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    ben.tell(request(1, 'b'));
    await ben.hears();
    engine.end();
    expect(await ada.hears()).toMatchObject([{ type: 'revoked', ticket: 1, error: { code: 'EngineLost' } }]);
    expect(await ben.hears()).toEqual([{ type: 'queued', ticket: 1, reason: 'relaunching' }]);
    engine = await enter('engine again');
    engine.tell(up(1, 1000, 8));
    expect(await ben.hears()).toMatchObject([{ type: 'granted', epoch: 8 }]);
  });

  it('E7 may have had last words that went with it: minds of grants that are over are told too', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    await ada.hears();
    engine.tell(ran(1, 'a', 10));
    ben.tell(request(1, 'b'));
    await ben.hears();
    engine.end();
    expect(await ada.hears()).toMatchObject([{ type: 'revoked', ticket: 1, error: { code: 'EngineLost' } }]);
    expect(await ben.hears()).toMatchObject([{ type: 'revoked', ticket: 1 }]);
  });

  it('E7 and says up again without having ended is a new one', async () => {
    engine.tell(up(1, 1000, 1));
    ada.tell(request(1, 'a'));
    await ada.hears();
    engine.tell(up(1, 1000, 2));
    ada.tell(request(2, 'b'));
    expect(await ada.hears()).toMatchObject([
      { type: 'revoked', ticket: 1 },
      { type: 'granted', ticket: 2, epoch: 2 },
    ]);
  });

  it('E7 ran nothing more: its late words change no lane', async () => {
    engine.tell(up(1, 1000, 1));
    ada.tell(request(1, 'a'));
    await ada.hears();
    engine.tell(up(1, 1000, 2));
    ben.tell(request(1, 'b'));
    await ben.hears();
    engine.tell(ran(1, 'a', 10));
    ada.tell(request(2, 'c'));
    expect(await ada.hears()).toMatchObject([{ type: 'revoked' }, { type: 'queued', reason: 'lane' }]);
  });
});

describe('a broker that is started again', () => {
  const crash = async (): Promise<void> => {
    engine.tell({ ...up(1, 1), shape: null } as never);
    // It is started again after 10 ms at most.
    await thread.pass(10);
  };

  it('R4 resets the engine, voids what minds have, and goes on', async () => {
    engine.tell(up(1, 1000, 1));
    ada.tell(request(1, 'a'));
    ben.tell(request(1, 'b'));
    const [granted] = await ada.hears();
    await ben.hears();
    await crash();
    expect(await engine.hears()).toEqual([{ type: 'reset' }]);
    expect((await ada.hears()).at(-1)).toMatchObject({ type: 'restarted', error: { code: 'EngineLost' } });
    await ben.hears();
    engine.tell(up(1, 1000, 2));
    ben.tell(request(2, 'b'));
    const next = (await ben.hears()).at(-1) as BrokerToMind & { grant: number };
    expect(next).toMatchObject({ type: 'granted', ticket: 2 });
    expect(next.grant).toBeGreaterThan((granted as typeof next).grant);
  });

  it('R4 tells so a mind over whose first request the one before it was lost', async () => {
    engine.tell(up(1, 1000, 1));
    ada.tell({ type: 'here' });
    // No mind asks for so many: it crashes.
    ada.tell({ ...request(1, 'a'), cells: 1n } as never);
    await thread.pass(10);
    expect(await ada.hears()).toMatchObject([{ type: 'restarted' }]);
  });
});

describe('time', () => {
  it('T5 a turn of background goes before an interactive one after 30 s', async () => {
    engine.tell(up(1, 1000));
    ada.tell(request(1, 'a'));
    ben.tell({ ...request(1, 'b'), class: 'background' } as MindToBroker);
    await ben.hears();
    await thread.pass(30_000);
    const cleo = await enter<MindToBroker, BrokerToMind>('cleo');
    cleo.tell(request(1, 'c'));
    await cleo.hears();
    engine.tell(ran(1, 'a', 10));
    expect(await ben.hears()).toMatchObject([{ type: 'granted' }]);
    expect(await cleo.hears()).toEqual([]);
  });

  it('T1 cells are kept for a turn that has waited 5 s for them', async () => {
    engine.tell(up(2, 1000));
    ada.tell(request(1, 'a', 600));
    ben.tell(request(1, 'b', 500));
    await ada.hears();
    await thread.pass(4_000);
    ada.tell(request(2, 'c'));
    expect(await ada.hears()).toMatchObject([{ type: 'granted', grant: 3 }]);
    engine.tell(ran(3, undefined, 0));
    await thread.pass(1_000);
    ada.tell(request(3, 'd'));
    expect(await ada.hears()).toMatchObject([{ type: 'queued', ticket: 3, reason: 'cells' }]);
    await ben.hears();
    engine.tell(ran(1, 'a', 10));
    expect(await ben.hears()).toMatchObject([{ type: 'granted' }]);
  });
});
