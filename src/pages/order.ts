/**
 * Work on things that have names: on each one piece at a time, in the order in which it was asked for; on different ones
 * side by side.
 */
import { PageBusy } from '../errors.js';

/** Pieces that wait or run, of all names: as many as the offload pool would take. */
const MOST = 256;

export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>();
  #pieces = 0;

  /**
   * Settles as `work` does. Rejects with PageBusy when too much waits, and with the reason of `signal` when that aborts before
   * the work has begun: it never begins then.
   */
  run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#pieces >= MOST) return Promise.reject(new PageBusy({ name }));
    this.#pieces++;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', giveUp);
      const mine = (this.#last.get(name) ?? Promise.resolve()).then(() => {
        signal?.removeEventListener('abort', giveUp);
        signal?.throwIfAborted();
        return work();
      });
      const over = mine.then(resolve, reject).then(() => {
        this.#pieces--;
        if (this.#last.get(name) === over) this.#last.delete(name);
      });
      this.#last.set(name, over);
    });
  }

  /** When all that was asked for so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
