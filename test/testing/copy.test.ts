/**
 * R7: the test kit's own copy is that of `structuredClone`.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copy } from '../../src/testing/copy.js';

test('R7 plain data is copied as structuredClone copies it', () => {
  const plain = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });
  fc.assert(
    fc.property(plain, (value) => {
      expect(copy(value)).toStrictEqual(structuredClone(value));
    }),
    { numRuns: 300 },
  );
});

test('R7 a field that is named like the prototype stays a field', () => {
  const named = JSON.parse('{"__proto__": {"a": 1}}');
  expect(Object.keys(copy(named))).toEqual(['__proto__']);
});

test('R7 what comes twice in a message is one thing in its copy, and a ring is a ring', () => {
  const tokens = Int32Array.of(1, 2, 3);
  const part = { tokens };
  const twice = copy({ one: part, other: part, tokens });
  expect(twice.one).toBe(twice.other);
  expect(twice.one.tokens).toBe(twice.tokens);
  expect(twice.tokens).not.toBe(tokens);
  const ring: { self?: unknown } = {};
  ring.self = ring;
  const copied = copy(ring);
  expect(copied.self).toBe(copied);
});

test('R7 a view copies the memory that it is a view of', () => {
  const memory = Int32Array.of(1, 2, 3, 4);
  const view = memory.subarray(1, 3);
  expect(copy({ view }).view.buffer.byteLength).toBe(memory.buffer.byteLength);
});

test('R7 what no line could carry cannot be copied', () => {
  for (const value of [() => 1, Symbol('s'), { deep: [() => 1] }]) {
    expect(() => copy(value)).toThrow('could not be cloned');
  }
});
