/**
 * Watches: a watcher hears of each end once, and of none that it does not watch.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Survivors } from './message-checks.js';
import type { Violations } from './violations.js';

export class WatchChecks {
  readonly #violations: Violations;
  readonly #watches = new Map<ActorId, Set<ActorId>>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  watched(watcher: ActorId, id: ActorId): void {
    const watches = this.#watches.get(watcher) ?? new Set();
    this.#watches.set(watcher, watches.add(id));
  }

  unwatched(watcher: ActorId, id: ActorId): void {
    this.#watches.get(watcher)?.delete(id);
  }

  /** It has forgotten what it watched. */
  crashed(watcher: ActorId): void {
    this.#watches.delete(watcher);
  }

  ended(watcher: ActorId, id: ActorId): void {
    if (this.#watches.get(watcher)?.delete(id)) return;
    this.#add(`actor ${watcher} heard of the end of ${id}, which it had heard of or did not watch`);
  }

  quiet({ alive }: Survivors): void {
    for (const [watcher, watches] of this.#watches) {
      if (!alive(watcher)) continue;
      for (const id of watches) {
        if (!alive(id)) this.#add(`actor ${watcher} never heard of the end of ${id}`);
      }
    }
  }

  #add(what: string): void {
    this.#violations.add('a watcher hears of each end once', what);
  }
}
