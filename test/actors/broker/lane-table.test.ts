import { beforeEach, describe, expect, it } from 'vitest';
import { LaneTable } from '../../../src/actors/broker/lane-table.js';

const HUNDRED = { cells: 100, stretches: [] };
let table: LaneTable;
const shown = () => table.all.map(({ state, activity, held, reserved }) => [state, activity, held, reserved]);

describe('what the broker knows of the lanes', () => {
  beforeEach(() => {
    table = new LaneTable();
    table.open(2);
  });

  it('T1 lanes of a new engine are empty', () => {
    table.take(0, { grant: 1, activity: 'a' }, HUNDRED, 1);
    table.open(1);
    expect(shown()).toEqual([['empty', undefined, 0, 0]]);
  });

  it('T1 a granted lane is busy with what was reserved, and idle with what the engine says it holds', () => {
    table.take(0, { grant: 1, activity: 'a' }, HUNDRED, 1);
    expect(shown()[0]).toEqual(['busy', 'a', 0, 100]);
    table.settle(0, 'a', { held: 42, bytes: 420, stretches: [] }, 2);
    expect(shown()[0]).toEqual(['idle', 'a', 42, 0]);
    expect(table.all[0]?.lastUse).toBe(2);
  });

  it('T1 a grant continues only on the lane of its own activity', () => {
    const continues = (now: number) => {
      table.take(0, { grant: 1, activity: 'a' }, HUNDRED, now);
      return table.continues(0);
    };
    expect(continues(1)).toBe(false);
    table.settle(0, 'a', { held: 42, bytes: 420, stretches: [] }, 2);
    expect(continues(3)).toBe(true);
    table.shrink(0, 'a', 0);
    expect(table.continues(0)).toBe(false);
    table.settle(0, 'a', { held: 42, bytes: 420, stretches: [] }, 4);
    table.vacate(0);
    expect(continues(5)).toBe(false);
  });

  it('T1 a grant that is given back leaves the lane as it was', () => {
    table.take(0, { grant: 1, activity: 'a' }, HUNDRED, 1);
    table.settle(0, 'a', { held: 42, bytes: 420, stretches: [] }, 2);
    table.take(0, { grant: 1, activity: 'a' }, HUNDRED, 3);
    table.giveBack(0);
    expect(shown()[0]).toEqual(['idle', 'a', 42, 0]);
    table.take(1, { grant: 2, activity: 'b' }, HUNDRED, 3);
    table.giveBack(1);
    expect(shown()[1]).toEqual(['empty', undefined, 0, 0]);
  });

  it('E6 a lane whose run left nothing is empty', () => {
    table.take(0, { grant: 1, activity: 'a' }, HUNDRED, 1);
    table.settle(0, undefined, { held: 0, bytes: 0, stretches: [] }, 2);
    expect(shown()[0]).toEqual(['empty', undefined, 0, 0]);
  });

  it('G2 an idle lane of that activity shrinks, also when it is given back after it was granted meanwhile', () => {
    table.take(0, { grant: 1, activity: 'a' }, HUNDRED, 1);
    table.settle(0, 'a', { held: 42, bytes: 420, stretches: [] }, 2);
    table.shrink(0, 'b', 0);
    expect(shown()[0]).toEqual(['idle', 'a', 42, 0]);
    table.shrink(0, 'a', 7);
    expect(shown()[0]).toEqual(['idle', 'a', 7, 0]);
    table.take(0, { grant: 1, activity: 'a' }, HUNDRED, 3);
    table.shrink(0, 'a', 0);
    expect(shown()[0]).toEqual(['busy', 'a', 0, 100]);
    table.giveBack(0);
    expect(shown()[0]).toEqual(['empty', undefined, 0, 0]);
  });

  it('T1 a vacated lane is empty, and what it held is said', () => {
    table.take(1, { grant: 2, activity: 'b' }, HUNDRED, 1);
    table.settle(1, 'b', { held: 42, bytes: 420, stretches: [] }, 2);
    expect(table.vacate(1)).toMatchObject({ lane: 1, activity: 'b', held: 42, bytes: 420, stretches: [] });
    expect(shown()[1]).toEqual(['empty', undefined, 0, 0]);
  });
});
