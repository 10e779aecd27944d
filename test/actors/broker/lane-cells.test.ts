/** Cells that lanes take together, and which idle lanes are vacated for some: tables. */
import { describe, expect, it } from 'vitest';
import {
  busyOf,
  cellsLeft,
  cellsOf,
  type LaneCells,
  lanesToVacate,
  taken,
} from '../../../src/actors/broker/lane-cells.js';
import type { Stretches } from '../../../src/actors/engine/stretches.js';

const shares = (...to: number[]): Stretches => to.map((each, i) => ({ origin: i + 1, to: each }));
const nothing = { held: 0, reserved: 0, stretches: [] };
const busy = (lane: number, reserved: number, stretches: Stretches = []): LaneCells => ({
  ...{ ...nothing, lane, state: 'busy', reserved, stretches, lastUse: 0 },
});
const idle = (lane: number, held: number, lastUse: number, stretches: Stretches = []): LaneCells => ({
  ...{ ...nothing, lane, state: 'idle', held, stretches, lastUse },
});

describe('cells of lanes', () => {
  it.each<[string, LaneCells[], number]>([
    ['are those of each', [busy(0, 100), idle(1, 50, 1), { ...idle(2, 0, 0), state: 'empty' }], 150],
    ['count once where two share them', [busy(0, 100, shares(60)), idle(1, 70, 1, shares(60))], 110],
    ['count as far as the longer has them', [idle(0, 90, 1, shares(90)), idle(1, 70, 1, shares(60))], 100],
    ['count as far as a lane holds them', [busy(0, 100, shares(60)), idle(1, 40, 1, shares(60))], 100],
    [
      'count once over several stretches',
      [idle(0, 100, 1, shares(40, 80)), idle(1, 90, 1, shares(40, 60)), idle(2, 50, 1, shares(50))],
      100 + 30 + 10,
    ],
    ['do not vanish with the one that had them first', [idle(1, 70, 1, shares(60))], 70],
  ])('B1 %s', (_, lanes, count) => expect(cellsOf(lanes)).toBe(count));

  it('B1 of those that run are all but those that only idle ones hold', () => {
    const lanes = [busy(0, 100, shares(60)), idle(1, 70, 1, shares(60)), busy(2, 70, shares(60))];
    expect(cellsOf(busyOf(lanes))).toBe(110);
  });
});

describe('lanes that are vacated', () => {
  const [a, b, c] = [idle(0, 110, 1, shares(100)), idle(1, 120, 2, shares(100)), idle(2, 40, 3)];

  it.each<[string, LaneCells[], number, number[]]>([
    ['are none while there is room', [a, b, c], 170, []],
    ['are the least recently used', [a, b, c], 160, [0]],
    ['are those whose cells really come free', [a, b, c], 50, [0, 1]],
    ['are none that others hold as much of', [busy(3, 120, shares(110)), a, c], 130, [2]],
    ['are all if need be', [a, b, c], 0, [0, 1, 2]],
  ])('T1 %s', (_, lanes, most, vacated) =>
    expect(lanesToVacate(lanes, busy(9, 1_000 - most), 1_000)).toEqual(vacated),
  );

  it('T1 are never the chosen one, which does not count', () => {
    expect(lanesToVacate([a, b, c], busy(2, 10), 140)).toEqual([]);
    expect(lanesToVacate([a, b, c], busy(0, 60), 160)).toEqual([1]);
  });
});

describe('a lane that a turn takes', () => {
  const all = [idle(0, 110, 1, shares(100)), idle(1, 120, 2, shares(100)), busy(2, 50, shares(20))];
  const [own, other] = all as [LaneCells, LaneCells];

  it('T1 goes on with the cells that others hold too, if it is its own', () => {
    expect(taken(own, own, 200, all)).toEqual({ ...busy(0, 200, shares(100)), lastUse: 1 });
    expect(taken(own, own, 200, [own, all[2] as LaneCells]).stretches).toEqual(shares(20));
    expect(taken(own, own, 200, [own]).stretches).toEqual([]);
    expect(taken(own, undefined, 200, all).stretches).toEqual([]);
  });

  it('T1 has the cells left that nobody else takes, and those that it shares', () => {
    const lane = taken(own, own, 200, all);
    expect(cellsLeft(300, [other], lane)).toBe(300 - 120 + 100);
    expect(cellsLeft(300, [other], { ...lane, stretches: [] })).toBe(300 - 120);
  });
});
