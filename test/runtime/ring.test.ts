import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../src/runtime/ring.js';

const steps = fc.oneof(
  { weight: 3, arbitrary: fc.nat() },
  { weight: 2, arbitrary: fc.constant('shift' as const) },
);

test('a ring does what a list does, whatever is pushed and shifted', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 500, size: 'max' }), (steps) => {
      const ring = new Ring<number>();
      const list: number[] = [];
      for (const step of steps) {
        if (step === 'shift') expect(ring.shift()).toBe(list.shift());
        else {
          ring.push(step);
          list.push(step);
        }
        expect(ring.length).toBe(list.length);
      }
      expect([...ring]).toEqual(list);
    }),
  );
});
