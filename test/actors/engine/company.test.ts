import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  APART_FLOOR_MS,
  APART_GAIN,
  COMPARE_AFTER_STEPS,
  company,
} from '../../../src/actors/engine/company.js';
import { createStepCost } from '../../../src/actors/engine/cost.js';

/** Lanes that decode until `steps` are over, at what a step truly costs by its rows; the lanes of each step, and its time. */
function run(lanes: number, steps: number, truth: (rows: number) => number) {
  const cost = createStepCost();
  const served = Array.from({ length: lanes }, () => -1);
  return Array.from({ length: steps }, (_, step) => {
    const chosen = company(
      served.map((last, lane) => ({ lane, served: last })),
      cost,
    ).map(({ lane }) => lane);
    const ms = truth(chosen.length);
    cost.observe(chosen.length, ms);
    for (const lane of chosen) served[lane] = step;
    return { lanes: chosen, ms };
  });
}

const rate = (steps: ReturnType<typeof run>) =>
  steps.reduce((sum, step) => sum + step.lanes.length, 0) / steps.reduce((sum, step) => sum + step.ms, 0);

/** The bench model on one thread. */
const BENCH = [0, 15.5, 55, 67.5, 81.5, 87, 91, 93, 94];
const bench = (rows: number) => BENCH[rows] as number;

describe('E1 lanes that decode', () => {
  it.each([2, 3])('E1 %i go one after the other where two rows cost three times one', (lanes) => {
    const steps = run(lanes, 1000, bench);
    expect(steps.filter((step) => step.lanes.length > 1).length).toBeLessThanOrEqual(
      1 + 1000 / COMPARE_AFTER_STEPS,
    );
    expect(rate(steps)).toBeGreaterThan(0.98 / 15.5);
  });

  it.each([4, 8])('E1 %i go together where that costs them little or nothing', (lanes) => {
    const steps = run(lanes, 1000, bench);
    expect(steps.filter((step) => step.lanes.length < lanes).length).toBeLessThanOrEqual(
      1 + 1000 / COMPARE_AFTER_STEPS,
    );
  });

  it('E1 go together where steps are short, and nothing is tried', () => {
    for (const step of run(2, 300, (rows) => (rows === 1 ? 0.1 : APART_FLOOR_MS - 1))) {
      expect(step.lanes.length).toBe(2);
    }
  });

  it('E1 follow a cost that changes', () => {
    let slow = true;
    const truth = (rows: number) => (rows === 1 ? 20 : slow ? 60 : 30);
    let count = 0;
    const steps = run(2, 3500, (rows) => {
      slow = ++count < 1000;
      return truth(rows);
    });
    expect(steps.slice(500, 1000).filter((step) => step.lanes.length === 1).length).toBeGreaterThan(490);
    expect(steps.slice(3000).filter((step) => step.lanes.length === 2).length).toBeGreaterThan(490);
  });

  it('E1 are never passed over, and no way costs much more than the better one, whatever steps cost', () => {
    const truths = fc.array(fc.double({ min: 0.05, max: 200, noNaN: true }), {
      minLength: 16,
      maxLength: 16,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 16 }), truths, (lanes, costs) => {
        const truth = (rows: number) => costs[rows - 1] as number;
        const steps = run(lanes, 300, truth);
        const last = Array.from({ length: lanes }, () => 0);
        steps.forEach((step, i) => {
          expect([1, lanes]).toContain(step.lanes.length);
          for (const lane of step.lanes) last[lane] = i;
          // A turn each, and one more step that measured the other way.
          for (const at of last) expect(i - at).toBeLessThanOrEqual(lanes + 1);
        });
        if (truth(lanes) < APART_FLOOR_MS) return;
        const best = Math.max(APART_GAIN / truth(1), lanes / truth(lanes));
        const tried = truth(lanes) + truth(1);
        const time = steps.reduce((sum, step) => sum + step.ms, 0);
        const tokens = steps.reduce((sum, step) => sum + step.lanes.length, 0);
        expect(tokens).toBeGreaterThanOrEqual(0.99 * best * (time - 4 * tried));
      }),
      { numRuns: 60 },
    );
  });
});
