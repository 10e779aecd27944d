/**
 * Probes: named, structured events that say what happened and why, inside one thread.
 */
import { EventEmitter } from 'eventemitter3';

export interface Probe {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A probe of one name and subject that recurs sooner than this is counted, not sent. */
const QUIET_MS = 1_000;
/** Subjects remembered for that. */
const SUBJECTS = 1_024;

export class Probes {
  readonly #emitter = new EventEmitter<{ probe: [Probe] }>();
  readonly #recent = new Map<string, { at: number; unsent: number }>();

  emit(probe: Probe): void {
    try {
      this.#emitter.emit('probe', probe);
    } catch (error) {
      // The listener's own failure, and not that of the actor or of the restart which the probe tells of.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /** Emits at most one a second for each subject; `unsent` says how many were left out before it. */
  emitLimited(probe: Probe, subject: string | number, now: number): void {
    const key = `${probe.name} ${subject}`;
    const last = this.#recent.get(key);
    if (last !== undefined && now - last.at < QUIET_MS) {
      last.unsent++;
      return;
    }
    if (this.#recent.size >= SUBJECTS) this.#recent.clear();
    this.#recent.set(key, { at: now, unsent: 0 });
    this.emit({ ...probe, unsent: last?.unsent ?? 0 });
  }

  /** Returns the function that unsubscribes. */
  on(listener: (probe: Probe) => void): () => void {
    this.#emitter.on('probe', listener);
    return () => this.#emitter.off('probe', listener);
  }
}

/** So many a second, and a count of those that were too many. */
export class Allowance {
  readonly #aSecond: number;
  #second = Number.NEGATIVE_INFINITY;
  #taken = 0;
  #refused = 0;

  constructor(aSecond: number) {
    this.#aSecond = aSecond;
  }

  /** `refusedBefore`: those refused since this was last told. */
  take(nowMs: number): { allowed: boolean; refusedBefore: number } {
    const second = Math.floor(nowMs / 1000);
    let refusedBefore = 0;
    if (second !== this.#second) {
      refusedBefore = this.#refused;
      this.#second = second;
      this.#taken = 0;
      this.#refused = 0;
    }
    const allowed = this.#taken < this.#aSecond;
    if (allowed) this.#taken++;
    else this.#refused++;
    return { allowed, refusedBefore };
  }
}
