/**
 * R7: what many seeds come to.
 */
import { expect, test } from 'vitest';
import { add, count, describe, LEAST, shortOf, type Tally, totals } from './tally.js';

const outcome = { ...LEAST, moments: {}, trace: 0, violations: [] };

test('R7 tallies of several processes add up to one', () => {
  const tally: Tally = {};
  count(tally, 'runtime', outcome, true);
  const other: Tally = {};
  count(other, 'runtime', { ...outcome, messages: 3_000, faults: 4 }, false);
  for (const times of [0, 3]) count(other, 'minds', { ...outcome, moments: { 'a full disk': times } }, true);
  add(tally, other);
  expect(totals(tally)).toEqual({ passed: 3, failed: 1 });
  expect(describe(tally)).toEqual([
    'runtime: 2 seeds with 5000 messages and 9 faults; at least 2000 messages among 8 actors with 4 faults in each',
    'minds: 2 seeds with 4000 messages and 10 faults; at least 2000 messages among 8 actors with 5 faults in each',
    'minds: a full disk: 3 times, in 1 seeds',
  ]);
});

test('R7 a seed that delivers less than it is to does not pass', () => {
  expect(shortOf(outcome)).toBeUndefined();
  expect(shortOf({ ...outcome, messages: 1_999 })).toBe('1999 messages among 8 actors with 5 faults');
  expect(shortOf({ ...outcome, actors: 7 })).toBe('2000 messages among 7 actors with 5 faults');
  expect(shortOf({ ...outcome, faults: 4 })).toBe('2000 messages among 8 actors with 4 faults');
});
