/**
 * Time and turns of the loop as a thread sees them; the simulation puts its own in their place.
 */
export interface Clock {
  /** Milliseconds since the system's epoch, the same on all its threads. */
  now(): number;
  /** Calls `fire` once after `ms`; answers the function that takes it back. */
  after(ms: number, fire: () => void): () => void;
  /** Calls `fire` in the next turn of the loop, behind the input that is there already. */
  soon(fire: () => void): void;
}

/** The longest delay that Node's timers take; a longer one is set in stages. */
const LONGEST_MS = 2 ** 31 - 1;

export function realClock(epochMs: number): Clock {
  const offset = performance.timeOrigin - epochMs;
  return {
    now: () => offset + performance.now(),
    after(ms, fire) {
      const timer = setTimeout(fire, Math.min(Math.ceil(ms), LONGEST_MS));
      return () => clearTimeout(timer);
    },
    soon: (fire) => void setImmediate(fire),
  };
}
