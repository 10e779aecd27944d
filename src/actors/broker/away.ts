/**
 * Minds that were lost with their threads. They come back at their addresses with what they had saved, so what is kept of their
 * rooms stays; each is watched again until it is back, or is known to have ended.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';

/** A thread is back in much less; what is kept of a mind that does not come back can wait as long. */
const AGAIN_MS = 1_000;

/** What the broker tells itself. */
export interface WatchAgain {
  readonly type: 'watch-again';
}

export class Away {
  readonly #ctx: Pick<Context, 'after' | 'watch'>;
  readonly #lost = new Set<ActorId>();

  constructor(ctx: Pick<Context, 'after' | 'watch'>) {
    this.#ctx = ctx;
  }

  lost(mind: ActorId): void {
    if (this.#lost.size === 0) this.#ctx.after(AGAIN_MS, { type: 'watch-again' } satisfies WatchAgain);
    this.#lost.add(mind);
  }

  /** Of those that are not back another notice comes. */
  watchAgain(): void {
    for (const mind of this.#lost) this.#ctx.watch(mind);
    this.#lost.clear();
  }
}
