/**
 * Who watches whom, as one thread knows it: what its actors watch, here and elsewhere, and who watches its actors.
 * A watch ends with either of the two, and with a crash of the watcher, which has forgotten what it was for.
 */
import { type ActorId, threadOf } from './address.js';
import type { Thread } from './thread.js';
import { Wire } from './wire.js';

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
  readonly #thread: Thread;
  /** What the actors of this thread watch, and who watches them. */
  readonly #watched = new Index();
  readonly #watchers = new Index();

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** An actor of this thread watches `id`. */
  watch(watcher: ActorId, id: ActorId): void {
    this.#watched.add(watcher, id);
    if (threadOf(id) === this.#thread.number) this.addWatcher(id, watcher);
    else if (!this.#thread.lines.send(Wire.watch, id, watcher, 0, undefined)) {
      this.#tell(watcher, id, 'its thread is not there');
    }
  }

  unwatch(watcher: ActorId, id: ActorId): void {
    if (!this.#watched.delete(watcher, id)) return;
    if (threadOf(id) === this.#thread.number) this.removeWatcher(id, watcher);
    else this.#thread.lines.send(Wire.unwatch, id, watcher, 0, undefined);
  }

  /** An actor of this thread is watched, from here or elsewhere. */
  addWatcher(id: ActorId, watcher: ActorId): void {
    if (this.#thread.cell(id) !== undefined) this.#watchers.add(id, watcher);
    else this.#tell(watcher, id, 'no actor lives at this address');
  }

  removeWatcher(id: ActorId, watcher: ActorId): void {
    this.#watchers.delete(id, watcher);
  }

  /** An actor of this thread has been told that `id` has ended. */
  told(watcher: ActorId, id: ActorId): void {
    this.#watched.delete(watcher, id);
  }

  /** A watcher of this thread has crashed or ended. */
  drop(watcher: ActorId): void {
    for (const id of this.#watched.values(watcher)) this.unwatch(watcher, id);
  }

  /** An actor of this thread has ended. */
  ended(id: ActorId, reason: string): void {
    this.drop(id);
    for (const watcher of this.#watchers.take(id)) this.#tell(watcher, id, reason);
  }

  /** All actors of another thread are gone. */
  loseThread(thread: number, reason: string): void {
    for (const [id, watcher] of this.#watchers.pairs()) {
      if (threadOf(watcher) === thread) this.#watchers.delete(id, watcher);
    }
    for (const [watcher, id] of this.#watched.pairs()) {
      if (threadOf(id) === thread) this.#tell(watcher, id, reason);
    }
  }

  /** Actors that watch, and actors that are watched. */
  get size(): number {
    return this.#watched.size + this.#watchers.size;
  }

  #tell(watcher: ActorId, id: ActorId, reason: string): void {
    if (threadOf(watcher) === this.#thread.number) this.told(watcher, id);
    this.#thread.router.notify(watcher, { type: 'ended', id, reason });
  }
}
