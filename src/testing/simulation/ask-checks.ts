/**
 * Asks: each settles once, by its deadline, whatever becomes of the one that was asked.
 */
import { type ActorId, threadOf } from '../../runtime/address.js';
import type { Survivors } from './message-checks.js';
import type { Violations } from './violations.js';

interface Open {
  readonly from: ActorId;
  readonly type: string;
  readonly until: number;
}

export interface CheckClock {
  now(): number;
  /** Milliseconds since `then` in which anything could happen. */
  since(then: number): number;
}

/** Timers fire in whole milliseconds of a thread's own. */
const GRACE_MS = 1;

export class AskChecks {
  readonly #violations: Violations;
  readonly #clock: CheckClock;
  readonly #open = new Map<number, Open>();

  constructor(violations: Violations, clock: CheckClock) {
    this.#violations = violations;
    this.#clock = clock;
  }

  asked(number: number, from: ActorId, deadlineMs: number, type: string): void {
    this.#open.set(number, { from, type, until: this.#clock.now() + deadlineMs });
  }

  settled(number: number): void {
    const ask = this.#open.get(number);
    this.#open.delete(number);
    const lateMs = ask === undefined ? 0 : this.#clock.since(ask.until);
    if (lateMs > GRACE_MS) this.#add(`the ask ${ask?.type} of actor ${ask?.from} settled ${lateMs} ms late`);
  }

  quiet({ wasLost }: Survivors): void {
    for (const { from, type } of this.#open.values()) {
      if (!wasLost(threadOf(from))) this.#add(`the ask ${type} of actor ${from} never settled`);
    }
  }

  #add(what: string): void {
    this.#violations.add('every ask settles once', what);
  }
}
