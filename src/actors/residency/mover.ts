/**
 * Moves genes, one at a time, until none is left to move: `errands.ts` says which, an offload thread moves the bytes where any
 * move, and what has become of it is told and counted here.
 */
import type { Tier } from '../../native/addon.js';
import type { Context, Reply } from '../../runtime/actor.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { type Errand, Errands, type Limits, type Wants } from './errands.js';
import type { GeneWork } from './gene-jobs.js';
import type { HeldGene, Inventory } from './inventory.js';
import { MoveCounts } from './move-counts.js';
import type { GeneMove, PoolUse, Relieve } from './protocol.js';
import { Reliefs } from './reliefs.js';

/** A gene that could not leave is tried again after so long: each try may read its file. */
const STUCK_MS = 5_000;
/** Moves in place in one handler: each takes microseconds, and a look at all genes. */
const AT_ONCE = 32;

/**
 * To itself: a gene that could not leave is tried again; the handler has moved enough, and the next one goes on; moving has
 * failed, as no single move does, and the handler is to fail of it.
 */
export interface MoveAgain {
  readonly type: 'unstuck' | 'move-on' | 'moves-failed';
}

/** Who hears of moves. */
export interface Listener {
  /** One that copies begins, and for its length there are two copies. */
  begins(): void;
  ended(): void;
  /** A gene has come to the device. */
  came(): void;
  /** One cannot come. */
  failed(gene: number, error: unknown): void;
}

export class Mover {
  readonly counts = new MoveCounts();
  readonly #ctx: Context;
  readonly #inventory: Inventory;
  readonly #jobs: GeneWork;
  readonly #listener: Listener;
  readonly #errands: Errands;
  readonly #reliefs: Reliefs;
  #willUnstick = false;
  /**
   * It waits until what was granted under a residency before this one is known: such a gene stays where it is. Stopped it is for
   * good: then another one moves the genes.
   */
  #state: 'waiting' | 'idle' | 'running' | 'stopped';
  #thrown: unknown;
  #moving: { readonly gene: number; readonly done: Promise<void> } | undefined;

  constructor(ctx: Context, inventory: Inventory, jobs: GeneWork, limits: Limits, turns: Wants & Listener) {
    this.#ctx = ctx;
    this.#state = ctx.incarnation === 0 ? 'idle' : 'waiting';
    this.#inventory = inventory;
    this.#jobs = jobs;
    this.#listener = turns;
    this.#reliefs = new Reliefs(ctx);
    this.#errands = new Errands(inventory, limits, turns, this.#reliefs);
  }

  /** It is known which genes are held. */
  begin(): void {
    if (this.#state === 'waiting') this.#state = 'idle';
    this.kick();
  }

  /** Something has changed: what is to be moved now is. */
  kick(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'running';
    this.#run().catch((error: unknown) => {
      this.#state = 'stopped';
      this.#thrown = error;
      this.#tellSelf('moves-failed');
    });
  }

  /** Rejects with GeneInUse, GeneSlotsFull, GeneChanged, NativeFailure. */
  order(gene: HeldGene, to: 'device' | 'host'): Promise<GeneMove> {
    const answer = this.#errands.order(gene, to);
    this.kick();
    return answer;
  }

  /** Bytes are to come free; `reply` has a `Relieved`. */
  relieve(message: Relieve, reply: Reply): void {
    this.#reliefs.add(message, reply);
    this.kick();
  }

  relieveLate(ask: number): void {
    this.#reliefs.late(ask);
  }

  /** A turn has ended: what is wanted and out comes back, as far as there is room. */
  expect(isWanted: (gene: number) => boolean): void {
    this.#errands.expect(isWanted);
    this.kick();
  }

  poolUse(use: PoolUse): void {
    this.#errands.poolUse(use);
  }

  /** Settles when a gene is not moving. */
  async still(gene: number): Promise<void> {
    while (this.#moving?.gene === gene) await this.#moving.done;
  }

  /** What it does ends, at the latest when the move that copies has. */
  stop(): void {
    this.#state = 'stopped';
  }

  hear({ type }: MoveAgain): void {
    if (type === 'moves-failed') throw this.#thrown;
    if (type === 'unstuck') {
      this.#willUnstick = false;
      this.#errands.unstick();
    }
    this.kick();
  }

  /** Up to the first move that copies it is done when this returns. */
  async #run(): Promise<void> {
    let atOnce = 0;
    while (this.#state === 'running') {
      const errand = this.#errands.next();
      if (errand === undefined) break;
      if (isInPlace(errand)) {
        this.#moveInPlace(errand);
        if (++atOnce === AT_ONCE) {
          this.#tellSelf('move-on');
          break;
        }
        continue;
      }
      const done = this.#copy(errand);
      this.#moving = { gene: errand.gene.id, done };
      await done;
      this.#moving = undefined;
      atOnce = 0;
    }
    if (this.#state === 'running') this.#state = 'idle';
  }

  #tellSelf(type: MoveAgain['type']): void {
    this.#ctx.tell(this.#ctx.self, { type } satisfies MoveAgain, { band: Band.reserved });
  }

  #moveInPlace(errand: Errand): void {
    const { gene, to } = errand;
    const { tier: from } = gene;
    const began = this.#ctx.now;
    try {
      this.#jobs.moveInPlace(gene.id, to);
    } catch (error) {
      return this.#failed(errand, from, error);
    }
    this.#moved(errand, from, this.#ctx.now - began);
  }

  async #copy(errand: Errand): Promise<void> {
    const { gene, to } = errand;
    const { id, tier: from, hash } = gene;
    const { paths } = this.#inventory.filesOf(id);
    gene.movingTo = to;
    this.#listener.begins();
    let tMs: number;
    try {
      ({ tMs } = await this.#jobs.move({ gene: id, to, paths, hash }));
    } catch (error) {
      return this.#failed(errand, from, error);
    }
    this.#moved(errand, from, tMs);
  }

  #moved(errand: Errand, from: Tier, tMs: number): void {
    const { gene, to, cause } = errand;
    const { id, bytes } = gene;
    const { name } = this.#inventory.filesOf(id);
    gene.tier = to;
    gene.movingTo = undefined;
    this.counts.moved(from, to, cause);
    this.#ctx.probe({ name: 'genome.page', gene: name, from, to, bytes, cause, tMs });
    this.#errands.done(errand, from, tMs);
    if (to === 'device') this.#listener.came();
    this.#listener.ended();
  }

  #failed(errand: Errand, from: Tier, error: unknown): void {
    const { gene, to, cause } = errand;
    const { name } = this.#inventory.filesOf(gene.id);
    gene.movingTo = undefined;
    this.counts.failed();
    const isStuck = this.#errands.failed(errand, error);
    if (!isStuck) this.#listener.failed(gene.id, error);
    this.#ctx.probe({ name: 'genome.page.failed', gene: name, from, to, cause, error: toEnvelope(error) });
    this.#listener.ended();
    if (!isStuck || this.#willUnstick) return;
    this.#willUnstick = true;
    this.#ctx.after(STUCK_MS, { type: 'unstuck' } satisfies MoveAgain);
  }
}

/** It changes its tier, and no byte of it moves. */
const isInPlace = ({ gene, to }: Errand): boolean => gene.inPlace && gene.tier !== 'disk' && to !== 'disk';
