/**
 * What the actors of one thread watch elsewhere, so that they can be told when a whole thread is lost.
 */
import { type ActorId, threadOf } from './address.js';

export class Watches {
  readonly #tell: {
    notifyEnded(watcher: ActorId, id: ActorId, reason: string): void;
    readonly number: number;
  };
  /** By watcher, so that a watcher's end drops its own. */
  readonly #byWatcher = new Map<ActorId, Set<ActorId>>();

  constructor(tell: {
    notifyEnded(watcher: ActorId, id: ActorId, reason: string): void;
    readonly number: number;
  }) {
    this.#tell = tell;
  }

  add(watcher: ActorId, id: ActorId): void {
    if (threadOf(id) === this.#tell.number) return;
    const watched = this.#byWatcher.get(watcher) ?? new Set();
    watched.add(id);
    this.#byWatcher.set(watcher, watched);
  }

  remove(watcher: ActorId, id: ActorId): void {
    const watched = this.#byWatcher.get(watcher);
    if (watched?.delete(id) && watched.size === 0) this.#byWatcher.delete(watcher);
  }

  dropWatcher(watcher: ActorId): void {
    this.#byWatcher.delete(watcher);
  }

  /** Every actor of a thread is gone: its watchers here are told once. */
  lost(thread: number, reason: string): void {
    for (const [watcher, watched] of this.#byWatcher) {
      for (const id of [...watched]) {
        if (threadOf(id) !== thread) continue;
        this.remove(watcher, id);
        this.#tell.notifyEnded(watcher, id, reason);
      }
    }
  }
}
