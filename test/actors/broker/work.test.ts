import { describe, expect, it } from 'vitest';
import { liftedWork, workOf } from '../../../src/actors/broker/work.js';

const waiting = (...work: number[]) => work.map((had) => ({ account: { work: had, servedAt: 0 } }));

describe('T5 work', () => {
  it('T5 is prompt tokens processed and twice the tokens produced', () => {
    expect(workOf(100, 30)).toBe(160);
  });

  it('T5 a mind that returns is lifted to the least of those waiting, never lowered', () => {
    expect(liftedWork(10, waiting(900, 500))).toBe(500);
    expect(liftedWork(900, waiting(500))).toBe(900);
  });

  it('T5 with nobody waiting its work stays', () => {
    expect(liftedWork(10, [])).toBe(10);
  });
});
