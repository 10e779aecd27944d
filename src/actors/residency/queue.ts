/**
 * Turns that wait for their genes: first, in order, until the device has room for all that they need, then until what was not
 * there has come. A turn that waits for room holds nothing.
 */
import { GeneSlotsFull } from '../../errors.js';
import type { ActorId } from '../../runtime/address.js';
import type { Inventory } from './inventory.js';
import type { PinBook } from './pins.js';
import type { GenesMissed, PinnedGene } from './protocol.js';

export interface WaitingTurn {
  readonly mind: ActorId;
  readonly turn: number;
  phenotype: readonly PinnedGene[];
  /** How long it waits at most. */
  readonly deadlineMs: number;
  missed: GenesMissed;
}

export class GeneQueue {
  readonly #inventory: Inventory;
  readonly #pins: PinBook;
  readonly #slots: number;
  /** Genes that keep their slots whoever waits. */
  readonly #fixed: () => readonly number[];
  /** Those that wait for room, and those that have it and wait for what was missing. */
  #waiting: WaitingTurn[] = [];
  #admitted: WaitingTurn[] = [];

  constructor(inventory: Inventory, pins: PinBook, slots: number, fixed: () => readonly number[]) {
    this.#inventory = inventory;
    this.#pins = pins;
    this.#slots = slots;
    this.#fixed = fixed;
  }

  /** Throws GeneSlotsFull for one that can never have them. */
  add(mind: ActorId, turn: number, phenotype: readonly PinnedGene[], deadlineMs: number): void {
    const neededGenes = new Set([...idsOf(phenotype), ...this.#fixed()]).size;
    if (neededGenes > this.#slots) throw new GeneSlotsFull({ neededGenes, slots: this.#slots });
    this.#waiting.push({ mind, turn, phenotype, deadlineMs, missed: { genes: 0, bytes: 0 } });
  }

  /** Pins what there is room for, first come first served; answers the turns whose genes are all there, which leave. */
  serve(): WaitingTurn[] {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#admit(next);
    }
    const ready = this.#admitted.filter((turn) => this.#isThere(turn));
    this.#admitted = this.#admitted.filter((turn) => !ready.includes(turn));
    return ready;
  }

  /**
   * A gene cannot be had: turns that wait for it leave, and let go, save those that have no room yet and whose names mean
   * another one by now.
   */
  refuse(gene: number): WaitingTurn[] {
    const refused = [
      ...this.#admitted.filter(({ phenotype }) => idsOf(phenotype).includes(gene)),
      ...this.#waiting.filter((turn) => idsOf(turn.phenotype).includes(gene) && !this.#renew(turn, gene)),
    ];
    this.#admitted = this.#admitted.filter((turn) => !refused.includes(turn));
    this.#waiting = this.#waiting.filter((turn) => !refused.includes(turn));
    for (const { mind, turn } of refused) this.#pins.unpin(mind, turn);
    return refused;
  }

  /** A turn, or all of a mind's, no longer wait. */
  drop(mind: ActorId, turn?: number): void {
    const stays = (each: WaitingTurn): boolean =>
      each.mind !== mind || (turn !== undefined && each.turn !== turn);
    this.#waiting = this.#waiting.filter(stays);
    this.#admitted = this.#admitted.filter(stays);
  }

  /** The turn that room is needed for next. */
  get next(): WaitingTurn | undefined {
    return this.#waiting[0];
  }

  #fits({ phenotype }: WaitingTurn): boolean {
    return new Set([...this.#pins.genes(), ...this.#fixed(), ...idsOf(phenotype)]).size <= this.#slots;
  }

  /** False: its names still mean that gene, or nothing. */
  #renew(turn: WaitingTurn, gene: number): boolean {
    const named = turn.phenotype.map(({ name, scale }) => ({ gene: name, scale }));
    try {
      turn.phenotype = this.#inventory.phenotype(named);
    } catch {
      return false;
    }
    return !idsOf(turn.phenotype).includes(gene);
  }

  #admit(turn: WaitingTurn): void {
    const ids = idsOf(turn.phenotype);
    this.#pins.pin(turn.mind, turn.turn, ids);
    this.#inventory.use(ids);
    const missing = ids.map((id) => this.#inventory.gene(id)).filter((gene) => gene?.tier !== 'device');
    const bytes = missing.reduce((sum, gene) => sum + (gene?.bytes ?? 0), 0);
    turn.missed = { genes: missing.length, bytes };
    this.#admitted.push(turn);
  }

  #isThere({ phenotype }: WaitingTurn): boolean {
    return idsOf(phenotype).every((id) => {
      const gene = this.#inventory.gene(id);
      return gene !== undefined && gene.tier === 'device' && !gene.moving;
    });
  }
}

const idsOf = (phenotype: readonly PinnedGene[]): number[] => phenotype.map(({ gene }) => gene);
