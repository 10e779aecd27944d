import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GeneRoom } from '../../../src/actors/broker/gene-room.js';
import { lackIn } from '../../../src/actors/broker/lack.js';
import { TURN_CLASSES, type TurnClass } from '../../../src/actors/broker/protocol.js';
import {
  AGEING_MS,
  admit,
  choose,
  isAhead,
  type LaneState,
  PASSING_MS,
  type QueueState,
  type WaitingTurn,
} from '../../../src/actors/broker/queue.js';
import { openAccount } from '../../../src/actors/broker/work.js';
import { NONE_KEPT } from '../budgets.js';

type Waiter = WaitingTurn & { readonly class: TurnClass };
const turn = (grant: number, given: Partial<Waiter> & { work?: number; servedAt?: number } = {}): Waiter => {
  const { work = 0, servedAt = Number.NEGATIVE_INFINITY, class: turnClass = 'interactive', ...rest } = given;
  return {
    grant,
    account: { ...openAccount(), work, servedAt },
    activity: `a${grant}`,
    class: turnClass,
    rank: TURN_CLASSES.indexOf(turnClass),
    since: 0,
    cells: 100,
    genes: [],
    notBefore: 0,
    keeps: false,
    ...rest,
  };
};
const empty = (lane: number): LaneState => ({
  lane,
  state: 'empty',
  grant: 0,
  held: 0,
  bytes: 0,
  stretches: [],
  reserved: 0,
  lastUse: 0,
});
const busy = (lane: number, reserved: number): LaneState => ({ ...empty(lane), state: 'busy', reserved });
const idle = (lane: number, activity: string, held: number, lastUse: number): LaneState => ({
  ...empty(lane),
  state: 'idle',
  activity,
  held,
  lastUse,
});
/** Gene slots, of which some are taken; the gene 9 keeps its own. */
const roomFor = (slots: number, ...taken: number[]): GeneRoom => ({
  slots,
  fixed: new Set([9]),
  taken: new Set([9, ...taken]),
});
const state = (given: Partial<QueueState<Waiter>>): QueueState<Waiter> => ({
  waiting: [],
  lanes: [empty(0)],
  cells: 1000,
  paged: () => 0,
  genes: roomFor(9),
  host: NONE_KEPT,
  now: 1000,
  ...given,
});
const sorted = (waiting: readonly Waiter[], now: number) =>
  [...waiting].sort((a, b) => (isAhead(a, b, now) ? -1 : 1));
const order = (waiting: readonly Waiter[], now = 1000) => sorted(waiting, now).map((t) => t.grant);

describe('T5 order', () => {
  it('T5 the higher class goes first', () => {
    const waiting = [turn(1, { class: 'background' }), turn(2), turn(3, { class: 'realtime' })];
    expect(order(waiting)).toEqual([3, 2, 1]);
  });

  it('T5 within a class the mind with the least work goes first, then the oldest turn', () => {
    expect(order([turn(1, { work: 9 }), turn(2, { work: 4 }), turn(3, { work: 4 })])).toEqual([2, 3, 1]);
    expect(order([turn(1, { since: 7 }), turn(2, { since: 3 })])).toEqual([2, 1]);
  });

  it('T5 after 30 s a turn is ordered one class higher', () => {
    const now = AGEING_MS;
    const waiting = [turn(1, { since: now, work: 1 }), turn(2, { class: 'background', since: 0 })];
    expect(order(waiting, now - 1)).toEqual([1, 2]);
    expect(order(waiting, now)).toEqual([2, 1]);
  });

  it('T5 a mind that got another turn meanwhile has not waited', () => {
    const now = AGEING_MS;
    const old = { since: 0, work: 1, class: 'background' as const };
    expect(order([turn(1, { since: now, work: 2 }), turn(2, old)], now)).toEqual([2, 1]);
    expect(order([turn(1, { since: now, work: 2 }), turn(2, { ...old, servedAt: 1 })], now)).toEqual([1, 2]);
  });

  it('T5 background never becomes realtime', () => {
    const now = 100 * AGEING_MS;
    const waiting = [
      turn(1, { class: 'background', since: 0 }),
      turn(2, { class: 'realtime', since: now, work: 9000 }),
    ];
    expect(order(waiting, now)).toEqual([2, 1]);
  });
});

describe('T1 lane and cells', () => {
  it('T1 nobody waits: no choice', () => {
    expect(choose(state({}))).toBeUndefined();
  });

  it('T1 an activity gets the lane that still holds its KV', () => {
    const lanes = [empty(0), idle(1, 'a1', 500, 1)];
    expect(choose(state({ waiting: [turn(1)], lanes }))).toMatchObject({ lane: 1, vacate: [] });
  });

  it('T1 of two lanes that hold its KV an activity gets the one used last', () => {
    const lanes = [idle(0, 'a1', 500, 3), idle(1, 'a1', 100, 9), idle(2, 'a1', 100, 5)];
    expect(choose(state({ waiting: [turn(1)], lanes }))).toMatchObject({ lane: 1 });
  });

  it('T1 an idle lane that holds nothing is not vacated', () => {
    const lanes = [empty(0), idle(1, 'x', 0, 1), idle(2, 'y', 500, 2)];
    expect(choose(state({ waiting: [turn(1, { cells: 600 })], lanes }))).toMatchObject({ vacate: [2] });
  });

  it('T1 else an empty lane, else the idle one least recently used', () => {
    const others = [idle(0, 'x', 100, 9), idle(1, 'y', 100, 3)];
    expect(choose(state({ waiting: [turn(1)], lanes: [...others, empty(2)] }))).toMatchObject({ lane: 2 });
    expect(choose(state({ waiting: [turn(1)], lanes: others }))).toMatchObject({ lane: 1 });
  });

  it('T1 idle lanes are vacated for cells, least recently used first and no more than needed', () => {
    const lanes = [empty(0), idle(1, 'x', 300, 9), idle(2, 'y', 300, 1), idle(3, 'z', 300, 5)];
    const waiting = [turn(1, { cells: 600 })];
    expect(choose(state({ waiting, lanes }))).toMatchObject({ lane: 0, vacate: [2, 3] });
  });

  it('T1 what the own lane holds is part of what the turn asks for', () => {
    const lanes = [idle(0, 'a1', 700, 1), busy(1, 200)];
    expect(choose(state({ waiting: [turn(1, { cells: 800 })], lanes }))).toMatchObject({
      lane: 0,
      vacate: [],
    });
  });

  it('T1 a lane that holds the KV of another is vacated with the grant', () => {
    expect(choose(state({ waiting: [turn(1)], lanes: [idle(0, 'x', 50, 1)] }))?.vacate).toEqual([0]);
  });

  it('T1 what the own lane holds counts until the run cuts it', () => {
    const lanes = [idle(0, 'a1', 700, 1), idle(1, 'x', 100, 1)];
    expect(choose(state({ waiting: [turn(1)], lanes }))).toMatchObject({ lane: 0, cells: 700, vacate: [] });
  });

  it('T1 a turn waits for a lane when all are busy, else for cells', () => {
    const waiter = turn(1, { cells: 500 });
    const seen = (lanes: LaneState[]) => {
      const given = state({ waiting: [waiter], lanes });
      return [choose(given), lackIn(given)(waiter)];
    };
    expect(seen([busy(0, 100)])).toEqual([undefined, 'lane']);
    expect(seen([busy(0, 600), empty(1)])).toEqual([undefined, 'cells']);
  });

  it('T5 ten thousand waiting turns are looked at once each', () => {
    let looks = 0;
    const waiting = {
      *[Symbol.iterator]() {
        for (let i = 0; i < 10_000; i++, looks++) yield turn(i, { work: (i * 7919) % 10_000 });
      },
    };
    expect(choose(state({ waiting }))?.turn.account.work).toBe(0);
    expect(looks).toBe(10_000);
  });

  it('T1 a turn of more cells than there are is refused with the numbers', () => {
    expect(admit(1000, 1000)).toBeUndefined();
    expect(admit(1001, 1000)).toMatchObject({
      code: 'ContextFull',
      detail: { needTokens: 1001, roomTokens: 1000 },
    });
  });
});

describe('T1 a turn that waits for cells', () => {
  const lanes = [busy(0, 600), empty(1)];
  const large = turn(1, { cells: 500 });
  const small = turn(2, { cells: 100, since: 1 });

  it('T1 lets a smaller one pass at first', () => {
    expect(choose(state({ waiting: [large, small], lanes, now: PASSING_MS - 1 }))).toMatchObject({
      turn: small,
    });
  });

  it('T1 is passed no more once it has waited long enough', () => {
    expect(choose(state({ waiting: [large, small], lanes, now: PASSING_MS }))).toBeUndefined();
  });

  it('T1 holds up those behind it also when it is not the first in order', () => {
    const first = turn(3, { class: 'realtime', cells: 450, since: PASSING_MS - 1 });
    expect(choose(state({ waiting: [first, large, small], lanes, now: PASSING_MS }))).toBeUndefined();
  });

  it('T1 never holds up one that is ahead of it in order', () => {
    const ahead = turn(3, { class: 'realtime', cells: 100, since: PASSING_MS });
    expect(choose(state({ waiting: [large, ahead], lanes, now: PASSING_MS }))).toMatchObject({ turn: ahead });
  });
});

describe('T1 a turn that waits for gene slots', () => {
  const genes = roomFor(3, 1);
  const wide = turn(1, { genes: [2, 3] });
  const narrow = turn(2, { genes: [1], since: 1 });
  const chosen = (waiting: Waiter[], now: number, given: Partial<QueueState<Waiter>> = {}) =>
    choose(state({ waiting, genes, now, ...given }))?.turn.grant;

  it('T1 fits beside what others hold, which counts once', () => {
    expect(chosen([turn(1, { genes: [1, 2] })], 0)).toBe(1);
    expect(chosen([turn(1, { genes: [9, 1] })], 0)).toBe(1);
    expect(chosen([wide], 0)).toBeUndefined();
    expect(chosen([wide], 0, { genes: roomFor(3) })).toBe(1);
  });

  it('T3 says so, also while no lane is free', () => {
    const reason = (waiter: Waiter, lanes: LaneState[]) => lackIn(state({ genes, lanes }))(waiter);
    expect(reason(wide, [empty(0)])).toBe('genes');
    expect(reason(wide, [busy(0, 100)])).toBe('genes');
    expect(reason(narrow, [busy(0, 100)])).toBe('lane');
  });

  it('T1 lets others pass at first, and then only those that leave the slots alone that come free', () => {
    expect(chosen([wide, narrow], PASSING_MS - 1)).toBe(2);
    expect(chosen([wide, narrow], PASSING_MS)).toBeUndefined();
    expect(chosen([wide, narrow, turn(3), turn(4, { genes: [9] })], PASSING_MS)).toBe(3);
    expect(chosen([wide, narrow, turn(3, { genes: [2, 9] })], PASSING_MS)).toBe(3);
  });

  it('T1 never holds up one that is ahead of it in order', () => {
    const ahead = turn(3, { class: 'realtime', genes: [1], since: PASSING_MS });
    expect(chosen([wide, narrow, ahead], PASSING_MS)).toBe(3);
  });

  it('T1 whose genes did not come in time is passed over for a while, and holds nobody up', () => {
    const late = turn(1, { notBefore: PASSING_MS + 1 });
    expect(chosen([late, narrow], PASSING_MS)).toBe(2);
    expect(chosen([late, narrow], PASSING_MS + 1)).toBe(1);
  });
});

describe('T1 whatever waits and whatever lanes hold', () => {
  const lane = fc.record({
    state: fc.constantFrom('empty' as const, 'idle' as const, 'busy' as const),
    activity: fc.constantFrom('a', 'b', 'c', 'd'),
    tokens: fc.nat(300),
    lastUse: fc.nat(100),
  });
  const waiter = fc.record({
    activity: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    class: fc.constantFrom(...TURN_CLASSES),
    since: fc.nat(40_000),
    work: fc.nat(3),
    cells: fc.integer({ min: 1, max: 800 }),
  });
  const now = 40_000;
  const situation = fc
    .tuple(fc.array(lane, { minLength: 1, maxLength: 6 }), fc.array(waiter, { maxLength: 8 }))
    .map(([ls, ws]) => {
      const lanes = ls.map(({ state, activity, tokens, lastUse }, i): LaneState => {
        if (state === 'empty') return empty(i);
        return state === 'idle' ? idle(i, activity, tokens, lastUse) : busy(i, tokens);
      });
      const used = lanes.reduce((sum, l) => sum + l.held + l.reserved, 0);
      const waiting = ws.map((w, i) => turn(i, w));
      return state({ waiting, lanes, cells: Math.max(800, used), now });
    });

  it('T1 a grant takes a lane that is not busy, and the lanes together stay within the cells', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const choice = choose(given);
        if (choice === undefined) return;
        const { lanes, cells } = given;
        expect(new Set(choice.vacate).size).toBe(choice.vacate.length);
        for (const i of [choice.lane, ...choice.vacate]) expect(lanes[i]?.state).not.toBe('busy');
        const others = lanes.filter((l) => l.lane !== choice.lane && !choice.vacate.includes(l.lane));
        const used = others.reduce((sum, l) => sum + l.held + l.reserved, 0);
        expect(used + choice.cells).toBeLessThanOrEqual(cells);
        const held = lanes[choice.lane] as LaneState;
        const own = held.activity === choice.turn.activity;
        if (held.held > 0) expect(choice.vacate.includes(choice.lane)).toBe(!own);
        expect(choice.cells).toBe(Math.max(choice.turn.cells, own ? held.held : 0));
        if (lanes.some((l) => l.state === 'idle' && l.activity === choice.turn.activity)) {
          expect(own).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('T5 the one granted is the first in order that has room, unless one ahead of it has waited for cells', () => {
    fc.assert(
      fc.property(situation, (given) => {
        const room = given.lanes.reduce((left, l) => left - l.reserved, given.cells);
        let expected: Waiter | undefined;
        for (const next of sorted([...given.waiting], now)) {
          if (next.cells <= room) expected = next;
          if (expected !== undefined || now - next.since >= PASSING_MS) break;
        }
        if (given.lanes.every((l) => l.state === 'busy')) expected = undefined;
        expect(choose(given)?.turn).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });
});
