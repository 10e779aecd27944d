/**
 * How much each mind has had: the counters that order turns of one class (T5).
 */

/** Work of a run: a produced token costs a step of its own, a prompt token shares one. */
export const workOf = (processedTokens: number, producedTokens: number): number =>
  processedTokens + 2 * producedTokens;

interface OfMind {
  readonly mind: number;
}

/**
 * The counter that a mind comes back with when it asks for a turn: its own, or the least of those waiting if that is
 * more, so that having been away earns nothing. A mind that has a turn waiting or running was not away.
 */
export function liftedWork(
  work: ReadonlyMap<number, number>,
  mind: number,
  waiting: Iterable<OfMind>,
  running: Iterable<OfMind>,
): number {
  const own = work.get(mind) ?? 0;
  for (const turn of running) if (turn.mind === mind) return own;
  let least = Number.POSITIVE_INFINITY;
  for (const turn of waiting) {
    if (turn.mind === mind) return own;
    least = Math.min(least, work.get(turn.mind) ?? 0);
  }
  return Number.isFinite(least) ? Math.max(own, least) : own;
}

/** What orders the turns of one class, by mind. */
export interface WorkRecord {
  readonly counters: ReadonlyMap<number, number>;
  /** When the mind last got a grant, in ms. */
  readonly servedAt: ReadonlyMap<number, number>;
}

export interface Work extends WorkRecord {
  /** A mind asks for a turn; call it before the turn joins those waiting. */
  arrive(mind: number, waiting: Iterable<OfMind>, running: Iterable<OfMind>): void;
  /** A turn of the mind was granted. */
  granted(mind: number, now: number): void;
  /** A run of the mind ended. */
  charge(mind: number, processedTokens: number, producedTokens: number): void;
  /** The mind is gone for good. */
  forget(mind: number): void;
}

export function createWork(): Work {
  const counters = new Map<number, number>();
  const servedAt = new Map<number, number>();
  return {
    counters,
    servedAt,
    arrive: (mind, waiting, running) => {
      counters.set(mind, liftedWork(counters, mind, waiting, running));
    },
    granted: (mind, now) => {
      servedAt.set(mind, now);
    },
    charge: (mind, processedTokens, producedTokens) => {
      counters.set(mind, (counters.get(mind) ?? 0) + workOf(processedTokens, producedTokens));
    },
    forget: (mind) => {
      counters.delete(mind);
      servedAt.delete(mind);
    },
  };
}
