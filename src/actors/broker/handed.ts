/**
 * Pages that a pager has read and handed over. It is told `taken` when the engine has a page, and not when the broker has heard
 * of it: until then one of the two may be lost, and the pager, whose book is handed over, asks again. What nobody has it is to
 * let go of.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { Occupancy } from './occupancy.js';
import type { BrokerToPager } from './protocol.js';

export class HandedPages {
  readonly #ctx: Pick<Context, 'tell'>;
  readonly #occupancy: Pick<Occupancy, 'whoHas'>;
  /** Those of which their pagers have yet to hear. */
  readonly #pages = new Map<number, ActorId>();
  #isUp = false;

  constructor(ctx: Pick<Context, 'tell'>, occupancy: Pick<Occupancy, 'whoHas'>) {
    this.#ctx = ctx;
    this.#occupancy = occupancy;
  }

  /** Of these the pager is to hear: the occupancy has them by now, or nobody does. */
  take(pager: ActorId, pages: readonly number[]): void {
    for (const page of pages) this.#pages.set(page, pager);
    if (this.#isUp) for (const page of pages) this.settle(page);
  }

  /** There is an engine; what pages it has the occupancy knows. */
  opened(): void {
    this.#isUp = true;
    for (const page of [...this.#pages.keys()]) this.settle(page);
  }

  closed(): void {
    this.#isUp = false;
  }

  /** The pager is gone, or asks again. */
  lost(one: ActorId): void {
    for (const [page, pager] of this.#pages) if (pager === one) this.#pages.delete(page);
  }

  /** The engine may have said of a page that it has it, or that it is gone. */
  settle(page: number): void {
    const pager = this.#pages.get(page);
    // As of nearly all that the engine says: no pages are gone through for them.
    if (pager === undefined) return;
    const has = this.#occupancy.whoHas(page);
    if (has === 'broker') return;
    this.#pages.delete(page);
    const type = has === 'engine' ? 'taken' : 'release';
    this.#ctx.tell(pager, { type, page } satisfies BrokerToPager, { band: Band.reserved });
  }
}
