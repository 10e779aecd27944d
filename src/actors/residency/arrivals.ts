/**
 * Grants that have their genes pinned and wait for those that were not on the device to come.
 */
import type { Inventory } from './inventory.js';
import type { PinBook } from './pins.js';
import type { GenesMissed, PinnedGene, PinnedPhenotype } from './protocol.js';

interface Arrival extends PinnedPhenotype {
  readonly grant: number;
}

export class Arrivals {
  readonly #inventory: Inventory;
  readonly #pins: PinBook;
  readonly #slots: number;
  /** Genes that keep their slots whoever runs what. */
  readonly #fixed: () => readonly number[];
  #coming: Arrival[] = [];

  constructor(inventory: Inventory, pins: PinBook, slots: number, fixed: () => readonly number[]) {
    this.#inventory = inventory;
    this.#pins = pins;
    this.#slots = slots;
    this.#fixed = fixed;
  }

  /** Pins all the genes of a grant; false: there is no room for all, and none is pinned. */
  add(grant: number, genes: readonly PinnedGene[]): boolean {
    const ids = idsOf(genes);
    this.#pins.unpin(grant);
    if (new Set([...this.#pins.genes(), ...this.#fixed(), ...ids]).size > this.#slots) return false;
    this.#pins.pin(grant, ids);
    this.#coming.push({ grant, genes, missed: this.#missing(ids) });
    return true;
  }

  /** Grants whose genes are all there; they leave. */
  ready(): Arrival[] {
    const ready = this.#coming.filter(({ genes }) => idsOf(genes).every((id) => this.#isThere(id)));
    this.#coming = this.#coming.filter((arrival) => !ready.includes(arrival));
    return ready;
  }

  /** A gene cannot be had: grants that wait for it leave, and hold nothing. */
  refuse(gene: number): number[] {
    const refused = this.#coming.filter(({ genes }) => idsOf(genes).includes(gene)).map(({ grant }) => grant);
    for (const grant of refused) this.drop(grant);
    return refused;
  }

  /** The grant holds nothing any more, and waits for nothing. */
  drop(grant: number): void {
    this.#pins.unpin(grant);
    this.#coming = this.#coming.filter((arrival) => arrival.grant !== grant);
  }

  clear(): void {
    this.#pins.clear();
    this.#coming = [];
  }

  #missing(ids: readonly number[]): GenesMissed {
    const genes = [...new Set(ids)].flatMap((id) => this.#inventory.gene(id) ?? []);
    const missing = genes.filter(({ tier }) => tier !== 'device');
    return { genes: missing.length, bytes: missing.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  #isThere(id: number): boolean {
    const gene = this.#inventory.gene(id);
    return gene !== undefined && gene.tier === 'device' && gene.movingTo === undefined;
  }
}

const idsOf = (genes: readonly PinnedGene[]): number[] => genes.map(({ gene }) => gene);
