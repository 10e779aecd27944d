/**
 * Keeps all observers together to a small part of the thread that answers them.
 */

/** Rest after work, as a multiple of it: observers take at most a tenth of the thread. */
export const REST = 9;

export class Pace {
  readonly #now: () => number;
  #restUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Settles when it is time to work again. Does not keep the process alive. */
  async turn(): Promise<void> {
    for (let left = this.#restUntil - this.#now(); left > 0; left = this.#restUntil - this.#now()) {
      await new Promise((resolve) => setTimeout(resolve, left).unref());
    }
  }

  /** Does the work, and notes how long it had the thread. */
  work<T>(work: () => T): T {
    const began = this.#now();
    try {
      return work();
    } finally {
      const end = this.#now();
      this.#restUntil = Math.max(this.#restUntil, end) + REST * (end - began);
    }
  }
}
