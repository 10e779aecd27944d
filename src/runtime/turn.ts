/**
 * A turn of a thread: a slice, or the taking in of a batch with what follows from it at once. Its time is looked up once,
 * and what was sent in it goes out together at its end.
 */
import type { Clock } from './clock.js';

export class Turn {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #now = 0;
  #stamp = 0;
  #begun = false;
  #endsLater = false;

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Milliseconds since the epoch, as of this turn. */
  get now(): number {
    return this.#begun ? this.#now : this.#clock.now();
  }

  /** The same in whole milliseconds. */
  get stamp(): number {
    return this.#begun ? this.#stamp : Math.trunc(this.#clock.now());
  }

  /** A turn begins, or its time is looked up again. */
  begin(now: number): void {
    this.#now = now;
    this.#stamp = Math.trunc(now);
    this.#begun = true;
  }

  end(): void {
    this.#begun = false;
    this.#onEnd();
  }

  /** Ends the turn when what runs now, and what that has set going, has ended. */
  endLater(): void {
    if (this.#endsLater) return;
    this.#endsLater = true;
    queueMicrotask(this.#endOnce);
  }

  readonly #endOnce = (): void => {
    this.#endsLater = false;
    this.end();
  };
}
