import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Deadline, Deadlines } from '../../src/runtime/deadlines.js';
import { LabClock } from './lab.js';

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: fc.nat(50) }) },
    { weight: 3, arbitrary: fc.record({ drop: fc.nat(200) }) },
    { weight: 2, arbitrary: fc.record({ pass: fc.nat(30) }) },
    { weight: 1, arbitrary: fc.record({ clear: fc.constant(true) }) },
  ),
  { maxLength: 200 },
);

describe('deadlines', () => {
  test('fire once each, in the order of their times, and of equal times in the order added; dropped ones never', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const clock = new LabClock();
        const deadlines = new Deadlines(clock);
        const entries: Deadline[] = [];
        const due = new Map<number, number>();
        const fired: number[] = [];
        for (const step of all) {
          if ('add' in step) {
            const n = entries.length;
            due.set(n, clock.ms + step.add);
            entries.push(
              deadlines.call(step.add, () => {
                expect(clock.ms).toBe(due.get(n));
                fired.push(n);
              }),
            );
          } else if ('drop' in step) {
            const entry = entries[step.drop];
            if (entry === undefined) continue;
            if (entry.live) due.delete(step.drop);
            deadlines.drop(entry);
          } else if ('pass' in step) {
            const until = clock.ms + step.pass;
            while (clock.advance(until));
            clock.ms = until;
          } else {
            for (const [n, entry] of entries.entries()) if (entry.live) due.delete(n);
            deadlines.clear();
          }
          expect(deadlines.size).toBe(due.size - fired.length);
        }
        while (clock.advance(Number.POSITIVE_INFINITY));
        const inOrder = [...due].sort(([m, a], [n, b]) => a - b || m - n).map(([n]) => n);
        expect(fired).toEqual(inOrder);
      }),
      { numRuns: 300 },
    );
  });

  test('many set and dropped ones are not kept, and one timer serves them all', () => {
    const clock = new LabClock();
    const deadlines = new Deadlines(clock);
    for (let i = 0; i < 100_000; i++) deadlines.drop(deadlines.call(5_000, () => {}));
    expect([deadlines.size, clock.timers]).toEqual([0, 1]);
    expect(deadlines.kept).toBeLessThan(3_000);
  });

  test('one that throws does not keep the next from firing', () => {
    const clock = new LabClock();
    const deadlines = new Deadlines(clock);
    let fired = false;
    deadlines.call(1, () => {
      throw new Error('thrown');
    });
    deadlines.call(1, () => {
      fired = true;
    });
    expect(() => clock.advance(1)).toThrow('thrown');
    clock.advance(1);
    expect(fired).toBe(true);
  });
});
