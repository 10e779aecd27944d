/**
 * Grants that were ended before their run came: the run is refused when it comes.
 */
import type { ErrorEnvelope } from '../../runtime/errors.js';

/** A run follows its grant in milliseconds; so many newer ones push the oldest out. */
const KEPT = 1024;

export class Revoked {
  readonly #grants = new Map<number, { readonly error: ErrorEnvelope | undefined }>();

  /** `error`: why, if not by the mind's own cancel. */
  add(grant: number, error: ErrorEnvelope | undefined): void {
    this.#grants.set(grant, { error });
    if (this.#grants.size <= KEPT) return;
    for (const oldest of this.#grants.keys()) {
      this.#grants.delete(oldest);
      return;
    }
  }

  take(grant: number): { readonly error: ErrorEnvelope | undefined } | undefined {
    const found = this.#grants.get(grant);
    this.#grants.delete(grant);
    return found;
  }
}
