/**
 * Who watches whom, as one thread knows it: what its actors watch, here and elsewhere, and who watches its actors.
 * A watch ends with either of the two, and with a crash of the watcher, which has forgotten what it was for.
 */
import { type ActorId, threadOf } from './address.js';

/** Sets by a key that exist only while they hold something. */
class Index {
  readonly #sets = new Map<ActorId, Set<ActorId>>();

  add(key: ActorId, value: ActorId): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([value]));
    else set.add(value);
  }

  delete(key: ActorId, value: ActorId): boolean {
    const set = this.#sets.get(key);
    if (set === undefined || !set.delete(value)) return false;
    if (set.size === 0) this.#sets.delete(key);
    return true;
  }

  values(key: ActorId): ActorId[] {
    return [...(this.#sets.get(key) ?? [])];
  }

  /** Takes out a key with all that it held. */
  take(key: ActorId): ActorId[] {
    const values = this.values(key);
    this.#sets.delete(key);
    return values;
  }

  *pairs(): IterableIterator<[ActorId, ActorId]> {
    for (const [key, set] of [...this.#sets]) for (const value of [...set]) yield [key, value];
  }

  get size(): number {
    return this.#sets.size;
  }
}

export class Watches {
  readonly #watched = new Index();
  readonly #watchers = new Index();

  /** An actor of this thread watches `id`. */
  add(watcher: ActorId, id: ActorId): void {
    this.#watched.add(watcher, id);
  }

  /** False: it was not watched. */
  remove(watcher: ActorId, id: ActorId): boolean {
    return this.#watched.delete(watcher, id);
  }

  /** What an actor of this thread watches. */
  watchedBy(watcher: ActorId): ActorId[] {
    return this.#watched.values(watcher);
  }

  /** An actor of this thread is watched. */
  addWatcher(id: ActorId, watcher: ActorId): void {
    this.#watchers.add(id, watcher);
  }

  removeWatcher(id: ActorId, watcher: ActorId): void {
    this.#watchers.delete(id, watcher);
  }

  /** Who is to be told of the end of an actor of this thread. */
  takeWatchers(id: ActorId): ActorId[] {
    return this.#watchers.take(id);
  }

  /** All actors of another thread are gone. Answers who watched which of them here. */
  loseThread(thread: number): { watcher: ActorId; id: ActorId }[] {
    for (const [id, watcher] of this.#watchers.pairs()) {
      if (threadOf(watcher) === thread) this.#watchers.delete(id, watcher);
    }
    const lost: { watcher: ActorId; id: ActorId }[] = [];
    for (const [watcher, id] of this.#watched.pairs()) {
      if (threadOf(id) !== thread) continue;
      this.#watched.delete(watcher, id);
      lost.push({ watcher, id });
    }
    return lost;
  }

  /** Actors that watch, and actors that are watched. */
  get size(): number {
    return this.#watched.size + this.#watchers.size;
  }
}
