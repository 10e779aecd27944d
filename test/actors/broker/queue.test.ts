import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AGEING_MS,
  admit,
  choose,
  inOrder,
  type LaneState,
  PASSING_MS,
  type QueueState,
  type WaitingTurn,
} from '../../../src/actors/broker/queue.js';

const turn = (grant: number, given: Partial<WaitingTurn> = {}): WaitingTurn => ({
  grant,
  mind: grant,
  activity: `a${grant}`,
  class: 'interactive',
  since: 0,
  cells: 100,
  ...given,
});
const empty = (lane: number): LaneState => ({ lane, state: 'empty', held: 0, reserved: 0, lastUse: 0 });
const busy = (lane: number, reserved: number): LaneState => ({ ...empty(lane), state: 'busy', reserved });
const idle = (lane: number, activity: string, held: number, lastUse: number): LaneState => ({
  ...empty(lane),
  state: 'idle',
  activity,
  held,
  lastUse,
});
const state = (given: Partial<QueueState>): QueueState => ({
  waiting: [],
  lanes: [empty(0)],
  cells: 1000,
  work: { counters: new Map(), servedAt: new Map() },
  now: 1000,
  ...given,
});
const order = (waiting: WaitingTurn[], work: [number, number][] = [], now = 1000) =>
  inOrder(state({ waiting, work: { counters: new Map(work), servedAt: new Map() }, now })).map(
    (t) => t.grant,
  );

describe('T5 order', () => {
  it('T5 the higher class goes first', () => {
    const waiting = [turn(1, { class: 'background' }), turn(2), turn(3, { class: 'realtime' })];
    expect(order(waiting)).toEqual([3, 2, 1]);
  });

  it('T5 within a class the mind with the least work goes first, then the oldest turn', () => {
    expect(
      order(
        [turn(1), turn(2), turn(3)],
        [
          [1, 9],
          [2, 4],
          [3, 4],
        ],
      ),
    ).toEqual([2, 3, 1]);
    expect(order([turn(1, { since: 7 }), turn(2, { since: 3 })])).toEqual([2, 1]);
  });

  it('T5 after 30 s a turn is ordered one class higher', () => {
    const now = AGEING_MS;
    const waiting = [turn(1, { since: now }), turn(2, { class: 'background', since: 0 })];
    expect(order(waiting, [[1, 1]], now - 1)).toEqual([1, 2]);
    expect(order(waiting, [[1, 1]], now)).toEqual([2, 1]);
  });

  it('T5 a mind that got another turn meanwhile has not waited', () => {
    const now = AGEING_MS;
    const waiting = [turn(1, { since: now }), turn(2, { since: 0 })];
    const counters = new Map([[2, 1]]);
    const first = (servedAt: Map<number, number>) =>
      inOrder(state({ waiting, work: { counters, servedAt }, now }))[0];
    expect(first(new Map())?.grant).toBe(2);
    expect(first(new Map([[2, 1]]))?.grant).toBe(1);
  });

  it('T5 background never becomes realtime', () => {
    const now = 100 * AGEING_MS;
    const waiting = [turn(1, { class: 'background', since: 0 }), turn(2, { class: 'realtime', since: now })];
    expect(order(waiting, [[2, 9000]], now)).toEqual([2, 1]);
  });
});

describe('T1 lane and cells', () => {
  it('T1 nobody waits: no choice', () => {
    expect(choose(state({}))).toBeUndefined();
  });

  it('T1 an activity gets the lane that still holds its KV', () => {
    const lanes = [empty(0), idle(1, 'a1', 500, 1)];
    expect(choose(state({ waiting: [turn(1)], lanes }))).toMatchObject({ type: 'grant', lane: 1, clear: [] });
  });

  it('T1 of two lanes that hold its KV an activity gets the one used last', () => {
    const lanes = [idle(0, 'a1', 500, 3), idle(1, 'a1', 100, 9), idle(2, 'a1', 100, 5)];
    expect(choose(state({ waiting: [turn(1)], lanes }))).toMatchObject({ lane: 1 });
  });

  it('T1 an idle lane that holds nothing is not cleared', () => {
    const lanes = [empty(0), idle(1, 'x', 0, 1), idle(2, 'y', 500, 2)];
    expect(choose(state({ waiting: [turn(1, { cells: 600 })], lanes }))).toMatchObject({ clear: [2] });
  });

  it('T1 else an empty lane, else the idle one least recently used', () => {
    const others = [idle(0, 'x', 100, 9), idle(1, 'y', 100, 3)];
    expect(choose(state({ waiting: [turn(1)], lanes: [...others, empty(2)] }))).toMatchObject({ lane: 2 });
    expect(choose(state({ waiting: [turn(1)], lanes: others }))).toMatchObject({ lane: 1, clear: [] });
  });

  it('T1 idle lanes are cleared for cells, least recently used first and no more than needed', () => {
    const lanes = [empty(0), idle(1, 'x', 300, 9), idle(2, 'y', 300, 1), idle(3, 'z', 300, 5)];
    const waiting = [turn(1, { cells: 600 })];
    expect(choose(state({ waiting, lanes }))).toMatchObject({ type: 'grant', lane: 0, clear: [2, 3] });
  });

  it('T1 what the own lane holds is part of what the turn asks for', () => {
    const lanes = [idle(0, 'a1', 700, 1), busy(1, 200)];
    expect(choose(state({ waiting: [turn(1, { cells: 800 })], lanes }))).toMatchObject({
      lane: 0,
      clear: [],
    });
  });

  it('T1 a turn waits for a lane when all are busy, else for cells', () => {
    const waiting = [turn(1, { cells: 500 })];
    expect(choose(state({ waiting, lanes: [busy(0, 100)] }))).toMatchObject({ type: 'wait', reason: 'lane' });
    expect(choose(state({ waiting, lanes: [busy(0, 600), empty(1)] }))).toMatchObject({
      type: 'wait',
      reason: 'cells',
    });
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
      type: 'grant',
      turn: small,
    });
  });

  it('T1 is passed no more once it has waited long enough', () => {
    expect(choose(state({ waiting: [large, small], lanes, now: PASSING_MS }))).toMatchObject({
      type: 'wait',
      turn: large,
      reason: 'cells',
    });
  });

  it('T1 holds up those behind it also when it is not the first in order', () => {
    const first = turn(3, { class: 'realtime', cells: 450, since: PASSING_MS - 1 });
    expect(choose(state({ waiting: [first, large, small], lanes, now: PASSING_MS }))).toMatchObject({
      type: 'wait',
      turn: first,
    });
  });

  it('T1 never holds up one that is ahead of it in order', () => {
    const ahead = turn(3, { class: 'realtime', cells: 100, since: PASSING_MS });
    expect(choose(state({ waiting: [large, ahead], lanes, now: PASSING_MS }))).toMatchObject({ turn: ahead });
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
    mind: fc.nat(5),
    activity: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    class: fc.constantFrom('realtime' as const, 'interactive' as const, 'background' as const),
    since: fc.nat(40_000),
    cells: fc.integer({ min: 1, max: 800 }),
  });

  it('T1 a grant takes a lane that is not busy, never clears its own, and stays within the cells', () => {
    fc.assert(
      fc.property(
        fc.array(lane, { minLength: 1, maxLength: 6 }),
        fc.array(waiter, { maxLength: 6 }),
        (ls, ws) => {
          const lanes = ls.map(({ state, activity, tokens, lastUse }, i): LaneState => {
            if (state === 'empty') return empty(i);
            return state === 'idle' ? idle(i, activity, tokens, lastUse) : busy(i, tokens);
          });
          const cells = Math.max(
            800,
            lanes.reduce((sum, l) => sum + l.held + l.reserved, 0),
          );
          const waiting = ws.map((w, i) => ({ ...w, grant: i }));
          const now = 40_000;
          const choice = choose(state({ waiting, lanes, cells, now }));
          if (choice === undefined) {
            expect(waiting).toEqual([]);
            return;
          }
          if (choice.type === 'wait') {
            expect(choice.reason === 'lane').toBe(lanes.every((l) => l.state === 'busy'));
            expect(choice.turn).toBe(inOrder(state({ waiting, lanes, now }))[0]);
            return;
          }
          expect(choice.clear).not.toContain(choice.lane);
          expect(new Set(choice.clear).size).toBe(choice.clear.length);
          for (const i of [choice.lane, ...choice.clear]) expect(lanes[i]?.state).not.toBe('busy');
          const others = lanes.filter((l) => l.lane !== choice.lane && !choice.clear.includes(l.lane));
          const used = others.reduce((sum, l) => sum + l.held + l.reserved, 0);
          expect(used + choice.turn.cells).toBeLessThanOrEqual(cells);
          const own = lanes.some((l) => l.state === 'idle' && l.activity === choice.turn.activity);
          if (own) expect(lanes[choice.lane]?.activity).toBe(choice.turn.activity);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
