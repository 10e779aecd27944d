import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeCrash } from '../../src/runtime/supervision.js';

test('R4 it starts again unless there were as many crashes as allowed within the time', () => {
  const intensity = { count: 3, withinMs: 100 };
  expect(judgeCrash([], 1_000, intensity)).toEqual({ restart: true, crashes: [1_000] });
  expect(judgeCrash([901, 950], 1_000, intensity)).toEqual({ restart: true, crashes: [901, 950, 1_000] });
  expect(judgeCrash([901, 950, 1_000], 1_000, intensity)).toEqual({ restart: false });
  expect(judgeCrash([900, 950, 1_000], 1_000, intensity)).toEqual({
    restart: true,
    crashes: [950, 1_000, 1_000],
  });
});

test('R4 over any crashes: never more than the allowed number in any window, refused only when it is reached', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.nat(60), { maxLength: 100 }), (count, gaps) => {
      const intensity = { count, withinMs: 100 };
      let now = 0;
      let crashes: readonly number[] = [];
      const restarts: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const verdict = judgeCrash(crashes, now, intensity);
        const recent = restarts.filter((at) => now - at < intensity.withinMs).length;
        expect(verdict.restart).toBe(recent < count);
        if (!verdict.restart) continue;
        restarts.push(now);
        crashes = verdict.crashes;
        expect(crashes.length).toBeLessThanOrEqual(count);
      }
    }),
  );
});
