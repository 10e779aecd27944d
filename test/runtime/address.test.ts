import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  generationOf,
  MAX_GENERATION,
  makeId,
  slotOf,
  threadActor,
  threadOf,
} from '../../src/runtime/address.js';

test('an address gives back thread, slot and generation, and no two are equal', () => {
  const part = fc.tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.integer({ min: 0, max: 2 ** 24 - 1 }),
    fc.integer({ min: 1, max: MAX_GENERATION }),
  );
  fc.assert(
    fc.property(part, part, (a, b) => {
      const id = makeId(...a);
      expect(Number.isSafeInteger(id)).toBe(true);
      expect([threadOf(id), slotOf(id), generationOf(id)]).toEqual(a);
      expect(id === makeId(...b)).toBe(a.join() === b.join());
    }),
    {
      examples: [
        [
          [255, 2 ** 24 - 1, MAX_GENERATION],
          [0, 0, 1],
        ],
      ],
    },
  );
});

test('a thread has one actor of its own, at an address that is the same for ever', () => {
  expect([threadActor(3), threadOf(threadActor(3)), slotOf(threadActor(3))]).toEqual([2 ** 32 + 3, 3, 0]);
});
