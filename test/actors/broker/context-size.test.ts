/** How large a context is to be: shapes and bytes in, a shape out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { largerShape, smallerShape } from '../../../src/actors/broker/context-size.js';

const FULL = { lanes: 4, cells: 4_096, context: 1_024 };
/** A thousand bytes a cell. */
const BYTES = 1_000 * FULL.cells;

describe('a smaller context', () => {
  it.each([
    [1, { lanes: 3, cells: 3_840, context: 1_024 }],
    [256_000, { lanes: 3, cells: 3_840, context: 1_024 }],
    [2_048_000, { lanes: 2, cells: 2_048, context: 1_024 }],
    [1e9, { lanes: 1, cells: 1_024, context: 1_024 }],
  ])('B4 gives back %i bytes, or what can be given', (bytes, shape) => {
    expect(smallerShape(FULL, BYTES, bytes)).toEqual(shape);
  });

  it('B4 is never smaller than one lane', () => {
    expect(smallerShape({ lanes: 1, cells: 1_024, context: 1_024 }, 1_024_000, 1)).toBeUndefined();
  });

  it('B4 is not known of a context that nobody measured', () => {
    expect(smallerShape(FULL, 0, 1)).toBeUndefined();
  });
});

describe('a larger context', () => {
  const SMALL = { lanes: 1, cells: 1_024, context: 1_024 };
  const larger = (usedBytes: number, capacityBytes: number) =>
    largerShape(SMALL, FULL, 1_000 * SMALL.cells, { usedBytes, capacityBytes });

  it.each([
    ['all that was asked for', 0, 1e9, FULL],
    ['what there is room for', 0, 2_000_000, { lanes: 2, cells: 2_048, context: 1_024 }],
    ['nothing where the pool would not stay calm', 1_000_000, 2_000_000, undefined],
    ['nothing where nothing is managed', 0, 0, undefined],
  ])('B4 takes %s', (_, used, capacity, shape) => expect(larger(used, capacity)).toEqual(shape));

  it('B4 is never larger than was asked for', () => {
    expect(largerShape(FULL, FULL, BYTES, { usedBytes: 0, capacityBytes: 1e12 })).toBeUndefined();
  });
});

describe('a context that shrinks and grows', () => {
  const shapes = fc
    .record({ lanes: fc.integer({ min: 1, max: 64 }), context: fc.integer({ min: 16, max: 4_096 }) })
    .map(({ lanes, context }) => ({ lanes, context, cells: lanes * context }));

  it('B4 keeps what one lane may hold, has a cell for each lane, and loses what was wanted or all there is', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 1e9 }), (shape, bytes) => {
        const smaller = smallerShape(shape, 1_000 * shape.cells, bytes);
        if (smaller === undefined) return;
        expect(smaller.context).toBe(shape.context);
        expect(smaller.cells).toBeGreaterThanOrEqual(Math.max(shape.context, smaller.lanes));
        const freed = 1_000 * (shape.cells - smaller.cells);
        expect(freed >= bytes || smaller.cells === shape.context).toBe(true);
      }),
    );
  });

  it('B4 does not come and go: what it grows to leaves its pool below warning', () => {
    fc.assert(
      fc.property(shapes, fc.nat(1e9), fc.nat(1e9), (full, usedBytes, capacityBytes) => {
        const small = smallerShape(full, 1_000 * full.cells, 1e12) ?? full;
        const pool = { usedBytes, capacityBytes };
        const larger = largerShape(small, full, 1_000 * small.cells, pool);
        if (larger === undefined) return;
        expect(usedBytes + 1_000 * (larger.cells - small.cells)).toBeLessThanOrEqual(0.6 * capacityBytes + 1);
      }),
    );
  });
});
