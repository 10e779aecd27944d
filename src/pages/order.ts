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

  /** Settles as `work` does. Rejects with PageBusy when too much waits. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#pieces >= MOST) throw new PageBusy({ name });
    this.#pieces++;
    const mine = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const quiet = mine.catch(() => {});
    this.#last.set(name, quiet);
    try {
      return await mine;
    } finally {
      this.#pieces--;
      if (this.#last.get(name) === quiet) this.#last.delete(name);
    }
  }

  /** When all that was asked for so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
