/**
 * Pages of which a pager does not know whether they were taken over: it was lost over the broker's word of them, or the broker was. They
 * are told apart when there is an engine, which says what pages it has.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { Occupancy } from './occupancy.js';
import type { BrokerToPager } from './protocol.js';

export class HandedPages {
  readonly #ctx: Pick<Context, 'tell'>;
  readonly #occupancy: Pick<Occupancy, 'hasPage'>;
  /** What each pager has asked last. */
  readonly #asked = new Map<ActorId, readonly number[]>();
  #isUp = false;

  constructor(ctx: Pick<Context, 'tell'>, occupancy: Pick<Occupancy, 'hasPage'>) {
    this.#ctx = ctx;
    this.#occupancy = occupancy;
  }

  /** All pages that the pager has handed over and has heard nothing of. */
  ask(pager: ActorId, pages: readonly number[]): void {
    this.#asked.set(pager, pages);
    if (this.#isUp) this.#answer();
  }

  /** There is an engine; what pages it has the occupancy knows. */
  opened(): void {
    this.#isUp = true;
    this.#answer();
  }

  closed(): void {
    this.#isUp = false;
  }

  /** It is gone, or asks again. */
  lost(pager: ActorId): void {
    this.#asked.delete(pager);
  }

  #answer(): void {
    for (const [pager, pages] of this.#asked) {
      for (const page of pages) {
        const type = this.#occupancy.hasPage(page) ? 'taken' : 'release';
        this.#ctx.tell(pager, { type, page } satisfies BrokerToPager, { band: Band.reserved });
      }
    }
    this.#asked.clear();
  }
}
