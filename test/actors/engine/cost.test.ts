import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStepCost } from '../../../src/actors/engine/cost.js';

function learned(steps: readonly (readonly [rows: number, ms: number])[]) {
  const cost = createStepCost();
  for (const [rows, ms] of steps) cost.observe(rows, ms);
  return cost;
}

describe('E1 the cost of a step, learned', () => {
  it('E1 small counts are learned one by one: two rows may cost three times one', () => {
    const cost = learned([
      [1, 19],
      [2, 56],
      [4, 64],
    ]);
    expect([1, 2, 3, 4].map((rows) => cost.predict(rows))).toEqual([19, 56, 60, 64]);
  });

  it('E1 far from any learned count it is a straight line, and above them the dearest row known', () => {
    const cost = learned([
      [8, 80],
      [24, 160],
    ]);
    expect(cost.predict(15)).toBe(115);
    expect(cost.predict(48)).toBe(320);
    expect(cost.predict(5)).toBe(50);
  });

  it('E1 big counts share buckets: a count never seen is near its neighbours', () => {
    const cost = learned([[500, 3000]]);
    expect(cost.predict(490)).toBeCloseTo(2940, -2);
    expect(cost.predict(512)).toBeCloseTo(3072, -2);
  });

  it('E1 one slow step changes nothing', () => {
    const cost = learned([
      [4, 64],
      [4, 65],
      [4, 900],
      [4, 64],
    ]);
    expect(cost.predict(4)).toBeLessThanOrEqual(65);
  });

  it('E1 follows a cost that has changed within a few steps', () => {
    const cost = learned([...Array(50).fill([4, 64]), ...Array(3).fill([4, 32])]);
    expect(cost.predict(4)).toBe(32);
    const larger = learned([...Array(50).fill([20, 200]), ...Array(5).fill([20, 100])]);
    expect(larger.predict(20)).toBe(100);
  });

  it('E1 a slow step of a rare size is outvoted by the steps of about its size', () => {
    const cost = learned([[64, 9000], ...Array(5).fill([48, 480])]);
    expect(cost.predict(64)).toBeLessThan(640);
    expect(cost.predict(64)).toBeGreaterThan(480);
  });

  it('E1 tells how long ago a step of a size was seen', () => {
    const cost = learned([[4, 64], ...Array(10).fill([1, 19])]);
    expect([cost.age(1), cost.age(4), cost.age(2)]).toEqual([0, 10, Number.POSITIVE_INFINITY]);
  });

  it('E1 is sane before anything was learned and whatever it is told', () => {
    const cost = createStepCost();
    expect(cost.predict(0)).toBe(0);
    expect(cost.predict(1)).toBeGreaterThan(0);
    expect(cost.predict(512)).toBeGreaterThan(cost.predict(1));
    for (const [rows, ms] of [
      [0, 5],
      [-1, 5],
      [4, -1],
      [4, Number.NaN],
      [4, Number.POSITIVE_INFINITY],
    ] as const) {
      cost.observe(rows, ms);
    }
    expect(cost.predict(4)).toBe(createStepCost().predict(4));
  });

  it('E1 recovers any cost of a fixed part and a slope within a third', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 50, noNaN: true }),
        fc.double({ min: 0.01, max: 10, noNaN: true }),
        (fixed, slope) => {
          const cost = createStepCost();
          for (let rows = 1; rows <= 1024; rows++) cost.observe(rows, fixed + slope * rows);
          for (let rows = 1; rows <= 1024; rows += 7) {
            const truth = fixed + slope * rows;
            expect(Math.abs(cost.predict(rows) - truth)).toBeLessThanOrEqual(truth / 3);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
