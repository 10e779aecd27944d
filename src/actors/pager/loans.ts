/**
 * Names of files that are on disk only because memory was short: they go when their rooms have no more use for them, and all of
 * them at the end. What a user has spilled is none.
 */
import type { Context } from '../../runtime/actor.js';

/** What the keys of loans in the saved state begin with. */
const LOAN = 'loan/';

export class Loans {
  readonly #ctx: Pick<Context, 'save'>;
  readonly #names = new Set<string>();

  /** `saved`: of a pager before this one. */
  constructor(ctx: Pick<Context, 'save'>, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    for (const key of saved.keys()) if (key.startsWith(LOAN)) this.#names.add(key.slice(LOAN.length));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  all(): string[] {
    return [...this.#names];
  }

  add(name: string): void {
    this.#names.add(name);
    this.#ctx.save(LOAN + name, true);
  }

  /** It is gone, or is there for its own sake. False: it was no loan. */
  end(name: string): boolean {
    if (!this.#names.delete(name)) return false;
    this.#ctx.save(LOAN + name, undefined);
    return true;
  }
}
