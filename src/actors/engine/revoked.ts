/**
 * Grants that were ended before their run came: the run is refused when it comes.
 */
import type { Refusal } from './refusal.js';

/** A run follows its grant in milliseconds; so many newer ones push the oldest out. */
const KEPT = 1024;

export class Revoked {
  readonly #grants = new Map<number, Refusal>();

  add(grant: number, refusal: Refusal): void {
    this.#grants.set(grant, refusal);
    if (this.#grants.size <= KEPT) return;
    for (const oldest of this.#grants.keys()) {
      this.#grants.delete(oldest);
      return;
    }
  }

  take(grant: number): Refusal | undefined {
    const found = this.#grants.get(grant);
    this.#grants.delete(grant);
    return found;
  }
}
