import { describe, expect, it } from 'vitest';
import { createWork, liftedWork, workOf } from '../../../src/actors/broker/work.js';

const turnsOf = (...minds: number[]) => minds.map((mind) => ({ mind }));
const work = new Map([
  [1, 10],
  [2, 500],
  [3, 900],
]);

describe('T5 work', () => {
  it('T5 is prompt tokens processed and twice the tokens produced', () => {
    expect(workOf(100, 30)).toBe(160);
  });

  it('T5 a mind that returns is lifted to the least of those waiting, never lowered', () => {
    expect(liftedWork(work, 1, turnsOf(2, 3), turnsOf(4))).toBe(500);
    expect(liftedWork(work, 3, turnsOf(2), [])).toBe(900);
    expect(liftedWork(work, 7, turnsOf(2), [])).toBe(500);
  });

  it('T5 with nobody waiting, or when it was never away, its counter stays', () => {
    expect(liftedWork(work, 1, [], turnsOf(3))).toBe(10);
    expect(liftedWork(work, 1, turnsOf(2, 1), [])).toBe(10);
    expect(liftedWork(work, 1, turnsOf(2), turnsOf(1))).toBe(10);
  });

  it('T5 counters follow arrivals and runs, and are gone with their mind', () => {
    const kept = createWork();
    kept.charge(1, 100, 30);
    kept.arrive(2, turnsOf(1), []);
    expect([...kept.counters]).toEqual([
      [1, 160],
      [2, 160],
    ]);
    kept.granted(1, 7);
    expect([...kept.servedAt]).toEqual([[1, 7]]);
    kept.forget(1);
    expect([[...kept.counters.keys()], kept.servedAt.size]).toEqual([[2], 0]);
  });
});
