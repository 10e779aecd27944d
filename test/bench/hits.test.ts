import { expect, test } from 'vitest';
import { atBest, byLru, byLru2 } from '../../bench/budget/hits.mjs';
import { scan, zipf } from '../../bench/budget/traces.mjs';

/** The trace by which page replacement is taught: of 12 references 2 are found by LRU in three frames, at best 5. */
const TAUGHT = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5];

test('LRU and the best possible find what they are known to find', () => {
  const given = { genes: 6, slots: 3 };
  expect(12 * byLru(TAUGHT, given)).toBeCloseTo(2);
  expect(12 * atBest(TAUGHT, given)).toBeCloseTo(5);
});

test.each([
  ['zipf', zipf],
  ['scan', scan],
])('G6 a trace of %s is the same each time, and nothing finds more of it than the best', (_, make) => {
  const given = { genes: 16, slots: 4 };
  const trace = make({ genes: 16, turns: 512, seed: 3 });
  expect(make({ genes: 16, turns: 512, seed: 3 })).toEqual(trace);
  expect(trace).toHaveLength(512);
  expect(Math.max(...trace)).toBeLessThan(16);
  const best = atBest(trace, given);
  for (const found of [byLru(trace, given), byLru2(trace, given)]) expect(found).toBeLessThanOrEqual(best);
});
