/**
 * Whether something that crashed starts again, and how soon: restart intensity and backoff, decided on plain data.
 */
import { BACKOFF } from './defaults.js';
import { BadArgument, type TroupeError } from './errors.js';

/** So many restarts within the period; one more crash is one too many. */
export interface Intensity {
  readonly count: number;
  readonly withinMs: number;
}

/** Waits before a restart: the first, doubled from crash to crash up to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
  /** Share of each wait that is left to chance, 0 to 1, so that those who crashed together do not return together. */
  readonly jitter: number;
}

export interface RestartPolicy extends Intensity {
  readonly backoff?: Backoff;
}

/** What is remembered of earlier crashes. */
export interface CrashRecord {
  /** When they were, oldest first, as far back as the intensity looks. */
  readonly times: readonly number[];
  /** Crashes in a row, with no quiet period between them. */
  readonly streak: number;
  /** When it was to start again after the last one. */
  readonly backAt: number;
}

export const NO_CRASHES: CrashRecord = { times: [], streak: 0, backAt: Number.NEGATIVE_INFINITY };

export type Verdict =
  | { readonly restart: true; readonly afterMs: number; readonly record: CrashRecord }
  | { readonly restart: false };

/** `crashes`: times of earlier crashes, oldest first. Answers the times to remember, or that enough is enough. */
export function judgeCrash(
  crashes: readonly number[],
  now: number,
  intensity: Intensity,
): { restart: true; crashes: number[] } | { restart: false } {
  const recent = crashes.filter((at) => now - at < intensity.withinMs);
  if (recent.length >= intensity.count) return { restart: false };
  return { restart: true, crashes: [...recent, now] };
}

/** The same, with the wait before the restart. A quiet period of the policy's length begins the waits anew. */
export function judgeRestart(
  record: CrashRecord,
  now: number,
  policy: RestartPolicy,
  random: () => number,
): Verdict {
  const verdict = judgeCrash(record.times, now, policy);
  if (!verdict.restart) return verdict;
  const streak = now - record.backAt >= policy.withinMs ? 1 : record.streak + 1;
  const afterMs = backoffMs(streak, policy.backoff ?? BACKOFF, random);
  return { restart: true, afterMs, record: { times: verdict.crashes, streak, backAt: now + afterMs } };
}

/** Enough for any wait; beyond a thousand the factor would be infinite, and no wait times it no number. */
const MOST_DOUBLINGS = 64;

/** The wait before the restart after the `attempt`th crash in a row, from 1; chance only makes it shorter. */
export function backoffMs(
  attempt: number,
  { firstMs, mostMs, jitter }: Backoff,
  random: () => number,
): number {
  const full = Math.min(firstMs * 2 ** Math.min(attempt - 1, MOST_DOUBLINGS), mostMs);
  return full * (1 - jitter * random());
}

/** 0 to below 1, the same for the same seed: a linear congruence, begun so that neighbouring seeds lie far apart. */
export function seededRandom(seed: number): () => number {
  let state = Math.imul(seed % 2 ** 32, 0x9e3779b1);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const wrong = (argument: string, value: unknown, expected: string): TroupeError =>
  new BadArgument({ argument, value, expected });

/** What is wrong with a policy; undefined: nothing. */
export function checkPolicy(argument: string, policy: RestartPolicy): TroupeError | undefined {
  if (typeof policy !== 'object' || policy === null) {
    return wrong(argument, policy, 'an object { count, withinMs, backoff? }');
  }
  const { count, withinMs, backoff } = policy;
  if (!Number.isInteger(count) || count < 0)
    return wrong(`${argument}.count`, count, 'a whole number, 0 or more');
  if (!isMs(withinMs) || withinMs === 0)
    return wrong(`${argument}.withinMs`, withinMs, 'milliseconds, more than 0');
  return backoff === undefined ? undefined : checkBackoff(`${argument}.backoff`, backoff);
}

/** What is wrong with waits; undefined: nothing. */
export function checkBackoff(argument: string, backoff: Backoff): TroupeError | undefined {
  if (typeof backoff !== 'object' || backoff === null) {
    return wrong(argument, backoff, 'an object { firstMs, mostMs, jitter }');
  }
  const { firstMs, mostMs, jitter } = backoff;
  if (!isMs(firstMs)) return wrong(`${argument}.firstMs`, firstMs, 'milliseconds, 0 or more');
  if (!isMs(mostMs) || mostMs < firstMs)
    return wrong(`${argument}.mostMs`, mostMs, 'milliseconds, firstMs or more');
  if (typeof jitter === 'number' && jitter >= 0 && jitter <= 1) return undefined;
  return wrong(`${argument}.jitter`, jitter, 'a share, 0 to 1');
}

export const isMs = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
