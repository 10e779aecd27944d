/**
 * Moves genes, one at a time, until none is left to move: `tiers.ts` says which, an offload thread moves the bytes, and what
 * has become of it is told and counted here.
 */
import { GeneInUse, GeneSlotsFull } from '../../errors.js';
import type { Tier } from '../../native/addon.js';
import type { Context } from '../../runtime/actor.js';
import { toEnvelope } from '../../runtime/errors.js';
import type { GeneWork } from './gene-jobs.js';
import type { HeldGene, Inventory } from './inventory.js';
import { type MoveCause, MoveCounts } from './move-counts.js';
import type { GeneMove } from './protocol.js';
import { type Move, nextMove } from './tiers.js';

/** A gene that could not leave is tried again after so long: each try may read its file. */
const STUCK_MS = 5_000;

/** To itself. */
export interface Unstuck {
  readonly type: 'unstuck';
}

/** What the turns want. */
export interface Wants {
  /** Genes that turns hold. */
  held(): readonly number[];
  /** Others that may not leave the device. */
  fixed(): readonly number[];
  /** A gene has come to the device. */
  came(): void;
  /** One that a turn holds cannot come. */
  failed(gene: number, error: unknown): void;
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

export interface Limits {
  readonly slots: number;
  readonly hostBytes: number;
}

export class Mover {
  readonly counts = new MoveCounts();
  readonly #ctx: Context;
  readonly #inventory: Inventory;
  readonly #jobs: GeneWork;
  readonly #limits: Limits;
  readonly #wants: Wants;
  readonly #stuck = new Set<number>();
  /** One at a time: they are asked on the user band. */
  #order: Order | undefined;
  /** What an order has brought to the device: it stays while others make room for it. */
  #guest: number | undefined;
  #running = false;
  #moving: { readonly gene: number; readonly done: Promise<void> } | undefined;

  constructor(ctx: Context, inventory: Inventory, jobs: GeneWork, limits: Limits, wants: Wants) {
    this.#ctx = ctx;
    this.#inventory = inventory;
    this.#jobs = jobs;
    this.#limits = limits;
    this.#wants = wants;
  }

  /** Something has changed: what is to be moved now is. */
  kick(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  /** Rejects with GeneInUse, GeneSlotsFull, GeneChanged, NativeFailure. */
  order(gene: HeldGene, to: Order['to']): Promise<GeneMove> {
    this.#guest = to === 'device' ? gene.id : undefined;
    return new Promise((resolve, reject) => {
      this.#order = { gene, to, resolve, reject, moved: 0, tMs: 0 };
      this.kick();
    });
  }

  /** Settles when a gene is not moving. */
  async still(gene: number): Promise<void> {
    while (this.#moving?.gene === gene) await this.#moving.done;
  }

  unstick(): void {
    this.#stuck.clear();
    this.kick();
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#settleOrder();
      const move = this.#next();
      if (move === undefined) break;
      const done = this.#move(move);
      this.#moving = { gene: move.gene.id, done };
      await done;
      this.#moving = undefined;
    }
    this.#running = false;
  }

  /** What may not leave the device, and is to be there. */
  #inUse(): Set<number> {
    return new Set([...this.#wants.held(), ...this.#wants.fixed()]);
  }

  #next(): Move<HeldGene> | undefined {
    const order = this.#order;
    const kept = this.#inUse();
    const wanted = new Set(this.#wants.held());
    if (this.#guest !== undefined) kept.add(this.#guest);
    if (order?.to === 'device') {
      kept.add(order.gene.id);
      wanted.add(order.gene.id);
    }
    const leaving = order?.to === 'host' ? order.gene.id : undefined;
    const move = nextMove({
      genes: this.#inventory.genes(),
      ...{ wanted, kept, leaving, stuck: this.#stuck, ...this.#limits },
    });
    if (move !== undefined || this.#guest === undefined) return move;
    // Room has been made for it, or cannot be.
    this.#guest = undefined;
    return this.#next();
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
      order.reject(new GeneInUse({ gene: this.#inventory.nameOf(gene.id).name, by: 'a turn' }));
    } else if (!resident && !used && inUse.size >= slots) {
      order.reject(new GeneSlotsFull({ neededGenes: inUse.size + 1, slots }));
    } else return;
    this.#order = undefined;
  }

  async #move({ gene: held, to }: Move<HeldGene>): Promise<void> {
    const { id, tier: from, bytes, hash } = held;
    const { name, path } = this.#inventory.nameOf(id);
    const cause = this.#causeOf(held);
    held.moving = true;
    try {
      const { tMs } = await this.#jobs.move({ gene: id, to, path, hash });
      held.tier = to;
      held.moving = false;
      this.counts.moved(from, to, cause);
      this.#ctx.probe({ name: 'genome.page', gene: name, from, to, bytes, cause, tMs });
      if (this.#order?.gene === held) Object.assign(this.#order, { moved: bytes, tMs });
      if (to === 'device') this.#wants.came();
    } catch (error) {
      held.moving = false;
      this.#failed(held, to, error);
      this.#ctx.probe({ name: 'genome.page.failed', gene: name, from, to, cause, error: toEnvelope(error) });
    }
  }

  #failed(gene: HeldGene, to: Tier, error: unknown): void {
    this.counts.failed();
    if (this.#order?.gene === gene) {
      this.#order.reject(error);
      this.#order = undefined;
    }
    if (to === 'device') this.#wants.failed(gene.id, error);
    else if (this.#stuck.add(gene.id).size === 1) {
      this.#ctx.after(STUCK_MS, { type: 'unstuck' } satisfies Unstuck);
    }
  }

  #causeOf(gene: HeldGene): MoveCause {
    if (this.#order?.gene === gene) return 'asked';
    return this.#wants.held().includes(gene.id) ? 'demand' : 'room';
  }
}
