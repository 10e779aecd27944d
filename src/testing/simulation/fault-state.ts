/**
 * Which faults of a run have come, and which are still to come.
 */
import type { Loop } from '../loop.js';
import { Random } from '../random.js';
import type { SystemFault } from './faults.js';

/** The stream of a seed's random numbers that decides how long batches are on their way. */
const LINES = 2;
/** One batch in so many is late, by up to so much, also when nothing is slow. */
const LATE_ONE_IN = 4;
const LATE_MS = 2;

type Crash = SystemFault & { readonly kind: 'crash' };
type OfThread = SystemFault & { readonly kind: 'lose' | 'freeze' };

export class FaultState {
  /** Of the system, once there is one. */
  clock: Pick<Loop, 'now' | 'since'> | undefined;
  occurred = 0;
  readonly #random: Random;
  readonly #crashes: Crash[] = [];
  readonly #others: Exclude<SystemFault, Crash>[] = [];
  #slowUntil = 0;
  #slowBy = 0;

  constructor(seed: number, faults: readonly SystemFault[]) {
    this.#random = new Random(seed, LINES);
    for (const fault of [...faults].sort((a, b) => a.at - b.at)) {
      if (fault.kind === 'crash') this.#crashes.push(fault);
      else this.#others.push(fault);
    }
  }

  now(): number {
    return this.clock?.now ?? 0;
  }

  since(then: number): number {
    return this.clock?.since(then) ?? 0;
  }

  /** Whether the handler that is called now is to throw. */
  crash(messages: number): 'before' | 'after' | undefined {
    const [next] = this.#crashes;
    if (next === undefined || next.at > messages) return undefined;
    this.#crashes.shift();
    this.occurred++;
    return next.when;
  }

  /** What befalls threads now. */
  due(messages: number): OfThread[] {
    const due: OfThread[] = [];
    for (let [next] = this.#others; next !== undefined && next.at <= messages; [next] = this.#others) {
      this.#others.shift();
      this.occurred++;
      if (next.kind !== 'slow') due.push(next);
      else {
        this.#slowUntil = this.now() + next.forMs;
        this.#slowBy = next.delayMs;
      }
    }
    return due;
  }

  /** How long a batch is on its way. */
  delayMs(): number {
    if (this.now() < this.#slowUntil) return this.#random.fraction() * this.#slowBy;
    return this.#random.oneIn(LATE_ONE_IN) ? this.#random.fraction() * LATE_MS : 0;
  }
}
