/**
 * The clock of one thread of a test: virtual time, the same for all threads. Its timers and turns are things that happen
 * in the loop; those of a thread that is gone never do.
 */
import type { Clock } from '../runtime/clock.js';
import type { Loop } from './loop.js';
import type { Source } from './source.js';

export class VirtualClock implements Clock {
  readonly #loop: Loop;
  readonly #timers: Source;
  readonly #turns: Source;
  #stopped = false;

  constructor(loop: Loop, name: string, thread: number) {
    this.#loop = loop;
    this.#timers = loop.source(`timers of ${name}`, thread);
    this.#turns = loop.source(`turns of ${name}`, thread);
  }

  now(): number {
    return this.#loop.now;
  }

  after(ms: number, fire: () => void): () => void {
    if (this.#stopped) return () => {};
    const timer = this.#timers.at(ms, fire);
    return () => this.#timers.drop(timer);
  }

  soon(fire: () => void): void {
    if (!this.#stopped) this.#turns.behind(0, fire);
  }

  freeze(): void {
    this.#timers.freeze();
    this.#turns.freeze();
  }

  /** Nothing that was put off happens any more. */
  stop(): void {
    this.#stopped = true;
    this.#timers.close();
    this.#turns.close();
  }
}
