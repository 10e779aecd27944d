/**
 * The broker's half that looks after memory: it keeps the ledger of leases, looks at the pools whenever that has changed, and
 * has those relieved that are under pressure. What it decides is decided in `pools.ts`, `relief.ts` and `resize.ts`.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { Shape } from '../engine/protocol.js';
import type { PoolUse } from '../residency/protocol.js';
import { Alerts } from './alerts.js';
import { Departures } from './departures.js';
import { Givers } from './givers.js';
import { type Holder, type Holds, LeaseBook } from './leases.js';
import { type MemoryReport, reportOf } from './memory-report.js';
import type { Occupancy } from './occupancy.js';
import { type Budgets, type Pool, type PoolName, poolsOf, pressed } from './pools.js';
import { HOLDER } from './recover.js';
import type { Relaunch } from './relaunch.js';
import { Relief } from './relief.js';
import { Resize, type Wish } from './resize.js';
import type { Spilled } from './spilled.js';
import type { WritingLate } from './writings.js';

/** Changes that come within it are looked at together. */
const TOGETHER_MS = 100;
/** While a pool is not calm it is looked at so often, and not tried more often. */
const CHECK_MS = 5_000;
/** Turns that run may take so long to end before the context is made anew; no other begins meanwhile. */
const RELAUNCH_MS = 60_000;

/** The key in the saved state of what the context is wanted to be. */
const WISH = 'context';

/** To itself. */
interface Look {
  readonly type: 'look';
  /** Changes are looked at; else pools that were not calm are looked at again. */
  readonly changes: boolean;
}

/** Asked: the answer is a `MemoryReport`. */
export interface MemoryQuestion {
  readonly type: 'memory';
}

export type MemoryMessage = Holds | Look | WritingLate | MemoryQuestion;

export interface MemoryOf {
  readonly occupancy: Occupancy;
  readonly turns: { readonly waiting: { readonly size: number } };
  readonly rooms: Spilled;
  readonly relaunch: Relaunch;
}

export class Memory {
  readonly #ctx: Context;
  readonly #budgets: Budgets;
  readonly #of: MemoryOf;
  readonly #book = new LeaseBook();
  readonly #holders = new Map<Holder, ActorId>();
  readonly #givers: Givers;
  readonly #departures: Departures;
  readonly #relief: Relief;
  readonly #alerts = new Alerts();
  readonly #resize: Resize;
  readonly #tried = new Map<PoolName, number>();
  readonly #looks = { soon: false, later: false };
  #onePool = true;
  #cells = 0;
  #poolUse = '';

  /** `saved`: of a broker before this one. */
  constructor(ctx: Context, saved: ReadonlyMap<string, unknown>, budgets: Budgets, of: MemoryOf) {
    this.#ctx = ctx;
    this.#budgets = budgets;
    this.#of = of;
    const now = () => ctx.now;
    const { occupancy, rooms } = of;
    const holder = (name: Holder): ActorId | undefined => this.#holders.get(name);
    this.#givers = new Givers({ ctx, occupancy, rooms, leases: () => this.#book.all(), holder });
    this.#departures = new Departures({
      ...{ lanes: () => occupancy.lanes.all, pager: () => holder('pager') },
      isWanted: (activity) => rooms.isWanted(activity),
      write: (lane, pager) => rooms.laneWriting.write(lane, pager),
    });
    this.#resize = new Resize({
      ...{ now, leases: () => this.#book.all(), waiting: () => of.turns.waiting.size },
      ...{ wish: saved.get(WISH) as Wish | undefined, keep: (wish) => ctx.save(WISH, wish) },
      relaunch: (shape, how) => of.relaunch.resize(shape, RELAUNCH_MS, this.#before(how)),
    });
    this.#relief = new Relief([...this.#givers.all(), this.#resize], now);
  }

  hear(message: MemoryMessage, sender: ActorId): MemoryReport | undefined {
    switch (message.type) {
      case 'memory':
        return this.#report();
      case 'holds':
        this.#holds(message, sender);
        break;
      case 'look':
        this.#looks[message.changes ? 'soon' : 'later'] = false;
        this.#look();
        break;
      case 'writing-late':
        if (message.of === 'pages') this.#givers.pages.late();
        else this.#of.rooms.laneWriting.giveUpLate();
        break;
    }
    return undefined;
  }

  /** An actor is gone: what it holds counts until there is another one. */
  gone(actor: ActorId): void {
    for (const [holder, id] of this.#holders) if (id === actor) this.#book.expire(holder);
  }

  /** An engine is up, of this shape. */
  up(shape: Shape): void {
    this.#cells = shape.cells;
    this.#resize.up(shape);
  }

  /** A user asks for such a context. */
  asked(shape: Shape): void {
    this.#resize.asked(shape);
  }

  #holds({ holder, leases, onePool }: Holds, sender: ActorId): void {
    this.#book.hold(holder, leases);
    if (onePool !== undefined) this.#onePool = onePool;
    if (this.#holders.get(holder) !== sender) {
      this.#holders.set(holder, sender);
      this.#ctx.watch(sender);
      this.#ctx.save(HOLDER + holder, sender);
    }
    // Genes lie in memory of a store that the engine tells of, with what of it nothing uses.
    const engine = this.#holders.get('engine');
    if (holder === 'residency' && engine !== undefined) {
      this.#ctx.tell(engine, { type: 'leases-changed' }, { band: Band.reserved });
    }
    this.#later('soon', TOGETHER_MS);
  }

  #later(when: 'soon' | 'later', ms: number): void {
    if (this.#looks[when]) return;
    this.#looks[when] = true;
    this.#ctx.after(ms, { type: 'look', changes: when === 'soon' } satisfies Look);
  }

  #pools(): Pool[] {
    return poolsOf(this.#book.all(), this.#budgets, this.#onePool);
  }

  #look(): void {
    const pools = this.#pools();
    for (const { name, level } of pools) if (level === 'normal') this.#alerts.calm(name);
    for (const pool of pressed(pools)) void this.#relieve(pool);
    const ofContext = pools.find(({ tiers }) => tiers.includes('device'));
    if (ofContext !== undefined) {
      this.#resize.look(ofContext);
      this.#sayUse(ofContext);
    }
    // As long as nothing changes and all are calm, looking again would find the same.
    const isCalm = pools.every(({ level }) => level === 'normal') && !this.#resize.isSmall;
    if (!isCalm) this.#later('later', CHECK_MS);
  }

  async #relieve(pool: Pool): Promise<void> {
    const { now } = this.#ctx;
    if (now - (this.#tried.get(pool.name) ?? Number.NEGATIVE_INFINITY) < CHECK_MS) return;
    this.#tried.set(pool.name, now);
    const attempt = await this.#relief.relieve(pool);
    const alert = attempt && this.#alerts.tried(attempt, this.#ctx.now);
    if (alert !== undefined) this.#ctx.probe({ name: 'memory.pressure', ...alert });
  }

  /** What the residency brings back on its own must fit. */
  #sayUse({ usedBytes, capacityBytes, tiers }: Pool): void {
    const residency = this.#holders.get('residency');
    const use: PoolUse = { type: 'pool-use', usedBytes, capacityBytes, tiers };
    const text = JSON.stringify(use);
    if (residency === undefined || text === this.#poolUse) return;
    this.#poolUse = text;
    this.#ctx.tell(residency, { ...use }, { band: Band.reserved });
  }

  /** Where the device has memory of its own, pages in the host's are out of its way. */
  #before(how: 'smaller' | 'larger'): ((goesOn: () => boolean) => Promise<void>) | undefined {
    if (how === 'larger' || !this.#onePool) return undefined;
    return (goesOn) => this.#departures.leave(goesOn);
  }

  #report(): MemoryReport {
    const { lanes, pages } = this.#of.occupancy;
    const alerts = this.#alerts.all();
    return reportOf({
      ...{ leases: this.#book.all(), pages: pages.all(), lanes: lanes.all, cells: this.#cells, alerts },
      pools: this.#pools().map((pool) => ({ ...pool, pendingBytes: this.#relief.pendingBytes(pool.name) })),
      askedCells: this.#resize.growsTo?.cells,
      quarantined: this.#relief.quarantined(),
    });
  }
}
