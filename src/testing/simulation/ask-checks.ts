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

/** Timers fire in whole milliseconds of a thread's own. */
const GRACE_MS = 1;

export class AskChecks {
  readonly #violations: Violations;
  readonly #now: () => number;
  readonly #open = new Map<number, Open>();

  constructor(violations: Violations, now: () => number) {
    this.#violations = violations;
    this.#now = now;
  }

  asked(number: number, from: ActorId, deadlineMs: number, type: string): void {
    this.#open.set(number, { from, type, until: this.#now() + deadlineMs });
  }

  settled(number: number): void {
    const ask = this.#open.get(number);
    this.#open.delete(number);
    if (ask !== undefined && this.#now() > ask.until + GRACE_MS) {
      this.#add(`the ask ${ask.type} of actor ${ask.from} settled ${this.#now() - ask.until} ms late`);
    }
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
