/**
 * Runs that have come before the lanes were cleared that their grants count on: the broker's word and the mind's come
 * from two threads, in any order. A run says how many clears its grant comes after, and is held until they are here.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Run } from './protocol.js';

export interface EarlyRun {
  readonly run: Run;
  readonly mind: ActorId;
}

export class EarlyRuns {
  /** Clears that have come in this epoch. */
  #clears = 0;
  /** At most one a lane, as each has a grant of its own. */
  #held: EarlyRun[] = [];

  /** False: nothing keeps it from beginning. */
  hold(run: Run, mind: ActorId): boolean {
    if (run.clears <= this.#clears) return false;
    this.#held.push({ run, mind });
    return true;
  }

  /** One more clear has come; answers the runs that may begin. */
  cleared(): EarlyRun[] {
    this.#clears++;
    const due = this.#held.filter(({ run }) => run.clears <= this.#clears);
    this.#held = this.#held.filter(({ run }) => run.clears > this.#clears);
    return due;
  }

  /** A new epoch: clears are counted anew. Answers the runs of the earlier one. */
  reset(): EarlyRun[] {
    const held = this.#held;
    this.#held = [];
    this.#clears = 0;
    return held;
  }
}
