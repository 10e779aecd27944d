import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeId } from '../../src/runtime/address.js';
import { Board, createBoardMemory } from '../../src/runtime/board.js';
import { BOARD_ACTORS } from '../../src/runtime/defaults.js';
import { Slots } from '../../src/runtime/slots.js';

describe('slots', () => {
  test('no address is given twice, over any takes, frees and lives of the thread', () => {
    const steps = fc.array(fc.oneof(fc.constant('take'), fc.constant('life'), fc.nat(20)), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (all) => {
        const given = new Set<number>();
        let life = 0;
        let slots = new Slots<string>('t', life);
        let alive: { slot: number; id: number }[] = [];
        for (const step of all) {
          if (step === 'take') {
            const { slot, generation } = slots.take();
            const id = makeId(2, slot, generation);
            expect(given.has(id)).toBe(false);
            expect(alive.some((other) => other.slot === slot)).toBe(false);
            given.add(id);
            slots.put(slot, `${id}`);
            alive.push({ slot, id });
          } else if (step === 'life') {
            slots = new Slots('t', ++life);
            for (const { slot, id } of alive) {
              expect(makeId(2, slots.retake(id).slot, slots.retake === undefined ? 0 : 1)).toBeDefined();
              slots.put(slot, `${id}`);
            }
          } else {
            const [gone] = alive.splice(Number(step) % Math.max(1, alive.length), 1);
            if (gone !== undefined) slots.free(gone.slot);
          }
          for (const { slot, id } of alive) expect(slots.get(slot)).toBe(`${id}`);
          expect(slots.all()).toHaveLength(alive.length);
        }
        alive = [];
      }),
    );
  });

  test('an actor of an earlier life gets its own slot and address', () => {
    const slots = new Slots<string>('t', 3);
    const id = makeId(2, 5, 7);
    expect(slots.retake(id)).toEqual({ slot: 5, generation: 7 });
    expect(() => slots.retake(id)).toThrow('slot 5 is taken');
    expect(slots.take()).toEqual({ slot: 0, generation: 3 * 4096 + 1 });
  });

  test('a slot whose generations are used up is given no more', () => {
    const slots = new Slots<string>('t', 0);
    let uses = 0;
    for (let i = 0; i < 5_000; i++) {
      const { slot } = slots.take();
      if (slot === 0) uses++;
      slots.free(slot);
    }
    expect(uses).toBe(4_096);
  });

  test('slots that were freed are taken again in turn', () => {
    const slots = new Slots<string>('t', 0);
    for (let i = 0; i < 3; i++) slots.take();
    for (const slot of [1, 0, 2]) slots.free(slot);
    expect([slots.take(), slots.take(), slots.take(), slots.take()].map(({ slot }) => slot)).toEqual([
      1, 0, 2, 3,
    ]);
  });

  test('a full thread refuses the next actor, until one has left', () => {
    const slots = new Slots<string>('busy', 0);
    for (let i = 0; i < BOARD_ACTORS; i++) slots.take();
    expect(() => slots.take()).toThrow(`the thread busy holds its bound of ${BOARD_ACTORS} actors`);
    const small = new Slots<string>('small', 0, new Board(createBoardMemory(3)).actors);
    for (let i = 0; i < 3; i++) small.take();
    expect(() => small.take()).toThrow('the thread small holds its bound of 3 actors');
    slots.free(7);
    expect(slots.take().slot).toBe(7);
  });
});
