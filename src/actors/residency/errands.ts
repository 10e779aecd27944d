/**
 * What is to be moved next, for whoever wants it: a user who ordered it, a turn that needs it, the slots, the broker who is
 * short of memory, and last of all whoever will want it soon.
 */
import { GeneInUse, GeneSlotsFull } from '../../errors.js';
import type { Tier } from '../../native/addon.js';
import type { HeldGene, Inventory } from './inventory.js';
import type { MoveCause } from './move-counts.js';
import type { GeneMove, PoolUse } from './protocol.js';
import { comesBack, isCalm } from './reconcile.js';
import { relieving } from './relief.js';
import type { Reliefs } from './reliefs.js';
import { type Move, nextMove } from './tiers.js';

/** What the turns want. */
export interface Wants {
  /** Genes that turns hold. */
  held(): readonly number[];
  /** Others that may not leave the device. */
  fixed(): readonly number[];
}

export interface Limits {
  readonly slots: number;
  readonly hostBytes: number;
}

export interface Errand extends Move<HeldGene> {
  readonly cause: MoveCause;
}

/** A gene that its user wants elsewhere. */
interface Order {
  readonly gene: HeldGene;
  readonly to: 'device' | 'host';
  readonly resolve: (answer: GeneMove) => void;
  readonly reject: (error: unknown) => void;
  moved: number;
  tMs: number;
}

export class Errands {
  readonly #inventory: Inventory;
  readonly #limits: Limits;
  readonly #wants: Wants;
  readonly #reliefs: Reliefs;
  readonly #stuck = new Set<number>();
  /** One at a time: they are asked on the user band. */
  #order: Order | undefined;
  /** What an order has brought to the device: it stays while others make room for it. */
  #guest: number | undefined;
  /** What was out when a turn ended, and will be wanted again. */
  #soon = new Set<number>();
  /** The pool that genes of the device lie in, and whether it has rested since it was relieved. */
  #pool: Omit<PoolUse, 'type'> | undefined;
  #relieved = false;

  constructor(inventory: Inventory, limits: Limits, wants: Wants, reliefs: Reliefs) {
    this.#inventory = inventory;
    this.#limits = limits;
    this.#wants = wants;
    this.#reliefs = reliefs;
  }

  /** Rejects with GeneInUse, GeneSlotsFull, and what its move fails with. */
  order(gene: HeldGene, to: Order['to']): Promise<GeneMove> {
    this.#guest = to === 'device' ? gene.id : undefined;
    return new Promise((resolve, reject) => {
      this.#order = { gene, to, resolve, reject, moved: 0, tMs: 0 };
    });
  }

  /** A turn has ended. Of what is out by then, and of nothing later, that comes back for which there is room. */
  expect(isWanted: (gene: number) => boolean): void {
    const out = this.#inventory.genes().filter(({ tier, isLost }) => tier !== 'device' && !isLost);
    this.#soon = new Set(out.flatMap(({ id }) => (isWanted(id) ? [id] : [])));
  }

  poolUse(use: PoolUse): void {
    this.#pool = use;
    if (isCalm(use)) this.#relieved = false;
  }

  next(): Errand | undefined {
    this.#settleOrder();
    const genes = this.#inventory.genes();
    return this.#needed(genes) ?? this.#relieving(genes) ?? this.#expected(genes);
  }

  done({ gene, to, cause }: Errand, from: Tier, tMs: number): void {
    gene.isLost = false;
    if (this.#order?.gene === gene) Object.assign(this.#order, { moved: gene.bytes, tMs });
    const { tiers } = this.#reliefs;
    if (cause === 'relief' && tiers?.includes(from) && !tiers.includes(to)) this.#reliefs.freed(gene.bytes);
  }

  /** True: it could not leave where it is, and is to be tried again after a while. */
  failed({ gene, to }: Errand, error: unknown): boolean {
    if (this.#order?.gene === gene) {
      this.#order.reject(error);
      this.#order = undefined;
    }
    if (to === 'device') gene.isLost = true;
    else this.#stuck.add(gene.id);
    return to !== 'device';
  }

  unstick(): void {
    this.#stuck.clear();
  }

  /** What may not leave the device, and is to be there. */
  #inUse(): Set<number> {
    return new Set([...this.#wants.held(), ...this.#wants.fixed()]);
  }

  #needed(genes: readonly HeldGene[]): Errand | undefined {
    const order = this.#order;
    const kept = this.#inUse();
    const wanted = new Set(this.#wants.held());
    if (this.#guest !== undefined) kept.add(this.#guest);
    if (order?.to === 'device') {
      kept.add(order.gene.id);
      wanted.add(order.gene.id);
    }
    const leaving = order?.to === 'host' ? order.gene.id : undefined;
    const move = nextMove({ genes, wanted, kept, leaving, stuck: this.#stuck, ...this.#limits });
    if (move !== undefined) return { ...move, cause: this.#causeOf(move.gene) };
    if (this.#guest === undefined) return undefined;
    // Room has been made for it, or cannot be.
    this.#guest = undefined;
    return this.#needed(genes);
  }

  #causeOf(gene: HeldGene): MoveCause {
    if (this.#order?.gene === gene) return 'asked';
    return this.#wants.held().includes(gene.id) ? 'demand' : 'room';
  }

  #relieving(genes: readonly HeldGene[]): Errand | undefined {
    const { hostBytes } = this.#limits;
    for (let tiers = this.#reliefs.tiers; tiers !== undefined; tiers = this.#reliefs.tiers) {
      if (tiers.includes('device')) this.#relieved = true;
      const move = relieving({ genes, tiers, kept: this.#inUse(), stuck: this.#stuck, hostBytes });
      if (move !== undefined) return { ...move, cause: 'relief' };
      this.#reliefs.exhausted();
    }
    return undefined;
  }

  #expected(genes: readonly HeldGene[]): Errand | undefined {
    const { slots } = this.#limits;
    const gene = comesBack({
      ...{ genes, wanted: this.#soon, slots, pool: this.#pool, relieved: this.#relieved },
    });
    if (gene === undefined) this.#soon.clear();
    else this.#soon.delete(gene.id);
    return gene && { gene, to: 'device', cause: 'expected' };
  }

  /** The order is done, or can no longer be. */
  #settleOrder(): void {
    const order = this.#order;
    if (order === undefined) return;
    const { gene, to, moved: nMoved, tMs } = order;
    const { slots } = this.#limits;
    const resident = gene.tier === 'device';
    const inUse = this.#inUse();
    const used = inUse.has(gene.id);
    if (resident === (to === 'device')) order.resolve({ resident, nBytes: gene.bytes, nMoved, tMs });
    else if (resident && used) {
      order.reject(new GeneInUse({ gene: this.#inventory.filesOf(gene.id).name, by: 'a turn' }));
    } else if (!resident && !used && inUse.size >= slots) {
      order.reject(new GeneSlotsFull({ neededGenes: inUse.size + 1, slots }));
    } else return;
    this.#order = undefined;
  }
}
