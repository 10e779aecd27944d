/**
 * Those who give memory back when a pool is under pressure, the cheapest first: what the store of pages holds and nothing uses,
 * genes, pages. After them comes the context (`resize.ts`).
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { Trim } from '../engine/leases.js';
import type { PageRecord } from '../engine/protocol.js';
import type { Relieve, Relieved } from '../residency/protocol.js';
import type { Holder, Lease, LeaseKind } from './leases.js';
import type { Occupancy } from './occupancy.js';
import { PageGiver } from './page-giver.js';
import type { Pool } from './pools.js';
import type { Given, Giver } from './relief.js';
import type { Spilled } from './spilled.js';

/** How long who is asked may take, and how much longer the answer. */
const RELIEVE_MS = 2_000;
const ANSWER_GRACE_MS = 1_000;
/** Numbers of a broker that was started again begin above those of before: what these asked for may yet be coming free. */
const ASKS_A_START = 2 ** 20;

export interface GiversOf {
  readonly ctx: Context;
  readonly occupancy: Occupancy;
  readonly rooms: Spilled;
  leases(): readonly Lease[];
  holder(name: Holder): ActorId | undefined;
}

export class Givers {
  readonly pages: PageGiver;
  readonly #of: GiversOf;
  #asks: number;

  constructor(of: GiversOf) {
    const { ctx, occupancy, rooms, holder } = of;
    this.#of = of;
    this.#asks = ctx.incarnation * ASKS_A_START;
    this.pages = new PageGiver({
      ...{ ctx, deadlineMs: RELIEVE_MS, writings: rooms.writings },
      // Those on disk nobody takes.
      isIn: (pool) => !pool.tiers.includes('disk') && this.#holds('pages', pool),
      pages: () => occupancy.pages.all(),
      isWanted: (activity) => rooms.isWanted(activity),
      isFiled: (record) => rooms.isFiled(record),
      pager: () => holder('pager'),
      drop: (records) => this.drop(records),
    });
  }

  all(): Giver[] {
    return [
      {
        name: 'arena',
        isIn: (pool) => this.#holds('arena', pool),
        ask: async () => {
          const bytes = await this.#trim([]);
          return { outcome: bytes > 0 ? 'released' : 'refused', bytes };
        },
      },
      {
        name: 'genes',
        isIn: (pool) => this.#holds('genes', pool),
        ask: (bytes, pool) => this.#askGenes(bytes, pool),
      },
      this.pages,
    ];
  }

  #holds(kind: LeaseKind, { tiers }: Pool): boolean {
    return this.#of
      .leases()
      .some((lease) => lease.kind === kind && tiers.includes(lease.tier) && lease.bytes > lease.floorBytes);
  }

  #askGenes(bytes: number, { tiers }: Pool): Promise<Given> {
    const ask: Relieve = { type: 'relieve', ask: ++this.#asks, bytes, tiers, deadlineMs: RELIEVE_MS };
    return this.#ask<Relieved>('residency', { ...ask });
  }

  /** Has memory let go of pages, but of none that is needed by now or was replaced; answers how many bytes that gave back. */
  async drop(records: readonly PageRecord[]): Promise<number> {
    const { occupancy, rooms } = this.#of;
    const going = records.filter(
      ({ activity, page }) => occupancy.pages.of(activity)?.page === page && !rooms.isWanted(activity),
    );
    if (going.length === 0) return 0;
    for (const record of going) occupancy.pages.remove(record);
    return this.#trim(going);
  }

  /** Drops pages, and gives memory of the store that nothing uses back to the system. */
  #trim(drop: readonly PageRecord[]): Promise<number> {
    const trim: Trim = { type: 'trim', drop };
    return this.#ask<number>('engine', { ...trim });
  }

  #ask<T>(holder: Holder, message: { readonly type: string }): Promise<T> {
    const id = this.#of.holder(holder) as ActorId;
    return this.#of.ctx.ask<T>(id, message, { band: Band.control, deadlineMs: RELIEVE_MS + ANSWER_GRACE_MS });
  }
}
