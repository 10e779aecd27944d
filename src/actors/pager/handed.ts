/**
 * Pages that were read into memory and handed to the broker, until it says that the engine has them: one of the two may be lost
 * before, and would leave a page to nobody. When broker or pager was started again it is asked anew; the book is handed over.
 */
import { releasePage } from '../../pages/page-files.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { tellOfDisk } from './post.js';

/** What the keys of such pages in the saved state begin with. */
const HANDED = 'handed/';

export class Handed {
  readonly #ctx: Pick<Context, 'save' | 'tell'>;
  readonly #pages = new Set<number>();

  /** `saved`: of a pager before this one. */
  constructor(ctx: Pick<Context, 'save' | 'tell'>, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    for (const key of saved.keys())
      if (key.startsWith(HANDED)) this.#pages.add(Number(key.slice(HANDED.length)));
  }

  /** Asks the broker which of them the engine has: its word may have been lost with a pager, or with the broker before. */
  ask(broker: ActorId): void {
    if (this.#pages.size > 0) tellOfDisk(this.#ctx, broker, { type: 'handed', pages: [...this.#pages] });
  }

  add(page: number): void {
    this.#pages.add(page);
    this.#ctx.save(HANDED + page, true);
  }

  /** The engine has it. */
  taken(page: number): void {
    if (this.#pages.delete(page)) this.#ctx.save(HANDED + page, undefined);
  }

  /** Memory lets go of a page that nobody has taken over. */
  release(page: number): void {
    this.taken(page);
    releasePage(page);
  }
}
