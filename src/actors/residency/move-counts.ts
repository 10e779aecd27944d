/**
 * What has been moved since the start (G7), as counters that only go up.
 */
import type { Tier } from '../../native/addon.js';

/** Its user asked for it, a turn needed it, another one needed its room, memory was short, or a turn may need it soon. */
export type MoveCause = 'asked' | 'demand' | 'room' | 'relief' | 'expected';

export class MoveCounts {
  #pagedOut = 0;
  #pagedIn = 0;
  #pagedInOnDemand = 0;
  #dropped = 0;
  #failed = 0;

  moved(from: Tier, to: Tier, cause: MoveCause): void {
    if (from === 'device') this.#pagedOut++;
    if (to === 'disk') this.#dropped++;
    if (to !== 'device') return;
    this.#pagedIn++;
    if (cause === 'demand') this.#pagedInOnDemand++;
  }

  failed(): void {
    this.#failed++;
  }

  all() {
    return {
      pagedOut: this.#pagedOut,
      pagedIn: this.#pagedIn,
      pagedInOnDemand: this.#pagedInOnDemand,
      dropped: this.#dropped,
      failed: this.#failed,
    };
  }
}
