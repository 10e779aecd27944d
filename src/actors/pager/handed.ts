/**
 * Pages that were read into memory and handed to the broker, until it says that it has them: one that is lost before it has heard
 * of a page leaves it to nobody. The book is handed over: a pager that is lost over the broker's word asks for it again.
 */
import { releasePage } from '../../pages/page-files.js';
import type { Context } from '../../runtime/actor.js';

/** What the keys of such pages in the saved state begin with. */
const HANDED = 'handed/';

export class Handed {
  readonly #ctx: Pick<Context, 'save'>;
  readonly #pages = new Set<number>();

  /** `saved`: of a pager before this one. */
  constructor(ctx: Pick<Context, 'save'>, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    for (const key of saved.keys())
      if (key.startsWith(HANDED)) this.#pages.add(Number(key.slice(HANDED.length)));
  }

  all(): number[] {
    return [...this.#pages];
  }

  add(page: number): void {
    this.#pages.add(page);
    this.#ctx.save(HANDED + page, true);
  }

  /** The broker has it. */
  taken(page: number): void {
    if (this.#pages.delete(page)) this.#ctx.save(HANDED + page, undefined);
  }

  /** Memory lets go of a page that nobody has taken over. */
  release(page: number): void {
    this.taken(page);
    releasePage(page);
  }

  /** The broker was started again: lets go of those that the one before it did not take. */
  releaseAll(): void {
    for (const page of this.all()) this.release(page);
  }
}
