import { describe, expect, test } from 'vitest';
import { ratios, work } from '../../bench/harness/pairs.mjs';
import { medianInterval, quantile } from '../../bench/harness/statistics.mjs';
import { Tally } from '../../bench/harness/tally.mjs';

describe('pairs of slices', () => {
  test('the work of a slice lies between its first and its last sample', () => {
    const samples = [
      [0, 8, 100],
      [10, 16, 200],
      [30, 24, 290],
      [50, 32, 400],
      [70, 40, 500],
    ];
    expect(work(samples, [5, 60])).toEqual({ wallMs: 40, tokens: 16, processorUs: 200 });
  });

  test('a slice without a whole step has no work', () => {
    expect(work([[10, 8, 100]], [0, 20])).toBeUndefined();
  });

  test('a pair gives the ratio of tokens a second, first over second, in both times', () => {
    const first = new Array(9).fill({ tokens: 10, processorUs: 1000, wallMs: 2 });
    const second = new Array(9).fill({ tokens: 10, processorUs: 2000, wallMs: 1 });
    const { processor, wall } = ratios([first, second]);
    expect(processor).toEqual({
      ratio: 2,
      spread: [2, 2],
      interval: [2, 2],
      pairs: 9,
      rates: [10_000, 5000],
    });
    expect(wall).toEqual({
      ratio: 0.5,
      spread: [0.5, 0.5],
      interval: [0.5, 0.5],
      pairs: 9,
      rates: [5000, 10_000],
    });
  });

  test('fewer than nine pairs are no measurement', () => {
    const slices = new Array(9).fill({ tokens: 10, processorUs: 1000, wallMs: 2 });
    expect(() => ratios([slices, [...slices.slice(1), undefined]])).toThrow('only 8 pairs');
  });
});

test.each([
  [[3, 1, 2], 0.5, 2],
  [[4, 1, 2, 3], 0.5, 2.5],
  [[1, 2, 3, 4, 5], 0.25, 2],
  [[7], 0.99, 7],
])('of %o the quantile %d is %d', (values, at, expected) => {
  expect(quantile(values, at)).toBe(expected);
});

test.each([
  [6, [1, 6]],
  [9, [2, 8]],
  [15, [4, 12]],
])('of %d values the median lies between the sorted ones %o', (count, expected) => {
  expect(medianInterval(Array.from({ length: count }, (_, i) => count - i))).toEqual(expected);
});

test('a tally samples when the last sequence has its token', () => {
  let processor = 0;
  const tally = new Tally(2, () => ++processor);
  for (const sequence of [0, 0, 1, 0, 1, 1]) tally.add(sequence);
  expect(tally.samples().map(([, tokens, processorUs]) => [tokens, processorUs])).toEqual([
    [2, 1],
    [4, 2],
    [6, 3],
  ]);
  expect(tally.tokens).toBe(6);
});
