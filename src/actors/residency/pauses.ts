/**
 * Pauses of a handler that awaits, by the actor's own clock.
 */
import type { Context } from '../../runtime/actor.js';

/** To itself. */
export interface Paused {
  readonly type: 'paused';
  readonly pause: number;
}

export class Pauses {
  readonly #ctx: Context;
  readonly #open = new Map<number, () => void>();
  #last = 0;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  of(ms: number): Promise<void> {
    const pause = ++this.#last;
    this.#ctx.after(ms, { type: 'paused', pause } satisfies Paused);
    return new Promise((resolve) => this.#open.set(pause, resolve));
  }

  over(pause: number): void {
    this.#open.get(pause)?.();
    this.#open.delete(pause);
  }
}
