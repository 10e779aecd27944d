import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/runtime/nearest.js';

describe('the nearest name', () => {
  it.each<[string, string | undefined]>([
    ['temprature', 'temperature'],
    ['TEMPERATURE', 'temperature'],
    ['dmeo', 'demo'],
    ['temp', 'temperature'],
    ['t', undefined],
    ['demo', 'demo'],
    ['xyzzy', undefined],
    ['', undefined],
    ['temperature'.repeat(10_000), undefined],
  ])('of %o', (name, expected) => {
    expect(nearest(name, ['temperature', 'topK', 'demo'])).toBe(expected);
  });
});
