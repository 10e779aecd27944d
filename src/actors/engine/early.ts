/**
 * Work that has come before the lanes were vacated that its grant counts on: the broker's word and the mind's come
 * from two threads, in any order. Each says how often lanes were vacated before its grant, and is held until then.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Work } from './protocol.js';

export interface EarlyWork {
  readonly work: Work;
  readonly from: ActorId;
}

export class Early {
  /** How often lanes were vacated in this epoch. */
  #vacated = 0;
  /** At most one a lane, as each has a grant of its own. */
  #held: EarlyWork[] = [];

  /** False: nothing keeps it from beginning. */
  hold(work: Work, from: ActorId): boolean {
    if (work.vacated <= this.#vacated) return false;
    this.#held.push({ work, from });
    return true;
  }

  /** Lanes were vacated once more; answers what may begin. */
  vacated(): EarlyWork[] {
    this.#vacated++;
    const due = this.#held.filter(({ work }) => work.vacated <= this.#vacated);
    this.#held = this.#held.filter(({ work }) => work.vacated > this.#vacated);
    return due;
  }

  /** A new epoch: it is counted anew. Answers the work of the earlier one. */
  reset(): EarlyWork[] {
    const held = this.#held;
    this.#held = [];
    this.#vacated = 0;
    return held;
  }
}
