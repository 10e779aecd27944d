import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  backoffMs,
  checkPolicy,
  judgeCrash,
  judgeRestart,
  NO_CRASHES,
  type RestartPolicy,
} from '../../src/runtime/supervision.js';

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

const backoff = { firstMs: 10, mostMs: 1_000, jitter: 0.5 };
const never = (): number => 0;

test('R4 waits double from crash to crash up to the longest, and a quiet period begins them anew', () => {
  const policy = { count: 100, withinMs: 60_000, backoff };
  let record = NO_CRASHES;
  let now = 0;
  const waits: number[] = [];
  for (let crash = 0; crash < 9; crash++) {
    if (crash === 8) now += policy.withinMs;
    const verdict = judgeRestart(record, now, policy, never);
    if (!verdict.restart) break;
    waits.push(verdict.afterMs);
    record = verdict.record;
    now += verdict.afterMs;
  }
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1_000, 10]);
});

test('R4 a long wait is no quiet period', () => {
  const policy = { count: 2, withinMs: 100, backoff: { firstMs: 400, mostMs: 5_000, jitter: 0 } };
  const first = judgeRestart(NO_CRASHES, 0, policy, never);
  const second = first.restart && judgeRestart(first.record, 400, policy, never);
  expect(second).toMatchObject({ restart: true, afterMs: 800 });
});

test('R4 chance makes a wait shorter, by no more than the jitter, and never longer', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, chance) => {
        const full = backoffMs(attempt, { ...backoff, jitter: 0 }, never);
        const wait = backoffMs(attempt, backoff, () => chance);
        expect(wait).toBeLessThanOrEqual(full);
        expect(wait).toBeGreaterThanOrEqual(full * (1 - backoff.jitter));
        expect(full).toBeLessThanOrEqual(backoff.mostMs);
      },
    ),
  );
});

test.each<[RestartPolicy, string]>([
  [null as never, 'restart is null; expected an object { count, withinMs, backoff? }'],
  [{ count: 1.5, withinMs: 1 }, 'restart.count is 1.5; expected a whole number, 0 or more'],
  [{ count: 1, withinMs: 0 }, 'restart.withinMs is 0; expected milliseconds, more than 0'],
  [
    { count: 1, withinMs: 1, backoff: { ...backoff, firstMs: -1 } },
    'restart.backoff.firstMs is -1; expected milliseconds, 0 or more',
  ],
  [
    { count: 1, withinMs: 1, backoff: { ...backoff, mostMs: 9 } },
    'restart.backoff.mostMs is 9; expected milliseconds, firstMs or more',
  ],
  [
    { count: 1, withinMs: 1, backoff: { ...backoff, jitter: 2 } },
    'restart.backoff.jitter is 2; expected a share, 0 to 1',
  ],
  [
    { count: 1, withinMs: 1, backoff: 5 as never },
    'restart.backoff is 5; expected an object { firstMs, mostMs, jitter }',
  ],
])('R4 a policy that is none is refused: %j', (policy, message) => {
  expect(checkPolicy('restart', policy)?.message).toBe(message);
  expect(checkPolicy('restart', { count: 0, withinMs: 1, backoff })).toBeUndefined();
});
