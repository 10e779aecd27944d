/**
 * Whose code runs: what an actor sets going (timers, promises) carries the actor with it, so that what fails outside of
 * every handler is told of, and crashes, the actor that caused it and not its whole thread.
 *
 * Only worker threads have one: on the main thread it would make every `await` of the user's own program dearer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CellContext } from './context.js';

export class Attribution {
  readonly #running = new AsyncLocalStorage<CellContext | undefined>();

  /** The start of an actor whose code runs now, or set going what runs now. */
  get current(): CellContext | undefined {
    return this.#running.getStore();
  }

  /** What runs from now on, until it ends, is code of `context`; undefined: of nobody. Half the cost of `run`. */
  enter(context: CellContext | undefined): void {
    this.#running.enterWith(context);
  }

  /** Calls `work` as code of `context`; undefined: of nobody. */
  run<T>(context: CellContext | undefined, work: () => T): T {
    return this.#running.run(context, work);
  }
}
