/**
 * Who watches whom, as one thread knows it: what its actors watch, here and elsewhere, and who watches its actors.
 * A watch ends with either of the two, and with a crash of the watcher, which has forgotten what it was for.
 */
import { type ActorId, threadOf } from './address.js';
import type { Notice } from './message.js';
import type { Thread } from './thread.js';
import { Wire } from './wire.js';

/** Sets by a key that exist only while they hold something. */
class Index {
  readonly #sets = new Map<ActorId, Set<ActorId>>();

  has(key: ActorId, value: ActorId): boolean {
    return this.#sets.get(key)?.has(value) ?? false;
  }

  /** False: it was there. */
  add(key: ActorId, value: ActorId): boolean {
    const set = this.#sets.get(key);
    if (set?.has(value)) return false;
    if (set === undefined) this.#sets.set(key, new Set([value]));
    else set.add(value);
    return true;
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
  /** Notices that lie in the mailboxes of this thread: a watch is not over before its actor has heard. */
  readonly #telling = new Index();

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** An actor of this thread watches `id`. */
  watch(watcher: ActorId, id: ActorId): void {
    if (this.#telling.has(watcher, id) || !this.#watched.add(watcher, id)) return;
    if (threadOf(id) === this.#thread.number) this.addWatcher(id, watcher);
    else if (!this.#thread.lines.send(Wire.watch, id, watcher, 0, undefined)) {
      const lost = threadOf(id) < this.#thread.lines.threads;
      this.#tell({ type: 'ended', id, reason: 'its thread is not there', lost }, watcher);
    }
  }

  unwatch(watcher: ActorId, id: ActorId): void {
    this.#telling.delete(watcher, id);
    if (!this.#watched.delete(watcher, id)) return;
    if (threadOf(id) === this.#thread.number) this.removeWatcher(id, watcher);
    else this.#thread.lines.send(Wire.unwatch, id, watcher, 0, undefined);
  }

  /** An actor of this thread is watched, from here or elsewhere. */
  addWatcher(id: ActorId, watcher: ActorId): void {
    if (this.#thread.cell(id) !== undefined) this.#watchers.add(id, watcher);
    else if (!this.#thread.isBack)
      this.#tell({ type: 'ended', id, reason: 'it is not back yet', lost: true }, watcher);
    else this.#tell({ type: 'ended', id, reason: 'no actor lives at this address', lost: false }, watcher);
  }

  removeWatcher(id: ActorId, watcher: ActorId): void {
    this.#watchers.delete(id, watcher);
  }

  /** An actor of this thread is to be told that `id` has ended. False: it does not watch it, or not any more. */
  tell(watcher: ActorId, id: ActorId): boolean {
    if (!this.#watched.delete(watcher, id)) return false;
    this.#telling.add(watcher, id);
    return true;
  }

  /** It comes to that notice. False: it has taken its watch back meanwhile. */
  heard(watcher: ActorId, id: ActorId): boolean {
    return this.#telling.delete(watcher, id);
  }

  /** A watcher of this thread has crashed or ended. */
  drop(watcher: ActorId): void {
    for (const id of this.#watched.values(watcher)) this.unwatch(watcher, id);
    this.#telling.take(watcher);
  }

  /** An actor of this thread has ended. */
  ended(id: ActorId, reason: string): void {
    this.drop(id);
    for (const watcher of this.#watchers.take(id)) {
      this.#tell({ type: 'ended', id, reason, lost: false }, watcher);
    }
  }

  /** All actors of another thread are gone. */
  loseThread(thread: number, reason: string): void {
    for (const [id, watcher] of this.#watchers.pairs()) {
      if (threadOf(watcher) === thread) this.#watchers.delete(id, watcher);
    }
    for (const [watcher, id] of this.#watched.pairs()) {
      if (threadOf(id) === thread) this.#tell({ type: 'ended', id, reason, lost: true }, watcher);
    }
  }

  /** Actors that watch, and actors that are watched. */
  get size(): number {
    return this.#watched.size + this.#watchers.size + this.#telling.size;
  }

  #tell(ended: Notice & { readonly type: 'ended' }, watcher: ActorId): void {
    if (threadOf(watcher) === this.#thread.number && !this.tell(watcher, ended.id)) return;
    this.#thread.router.notify(watcher, ended);
  }
}
