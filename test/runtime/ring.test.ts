import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../src/runtime/ring.js';

test('a ring does what a list does, whatever is pushed and shifted', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(), fc.constant('shift' as const)), { maxLength: 500 }), (steps) => {
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
