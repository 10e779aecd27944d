/**
 * What the broker knows of genes: which there are, as the residency says, and which of them its own grants hold. By that it
 * knows whose genes have room without asking.
 */
import { GeneSlotsFull, NoSuchGene, type TroupeError } from '../../errors.js';
import { namedTwice } from '../residency/named-twice.js';
import type { GeneStock, NamedGene } from '../residency/protocol.js';
import { type GeneRoom, type HeldGenes, roomOf } from './gene-room.js';

/** Stands for what no name does; nothing has room for it. */
const UNKNOWN = -1;

export class GeneTable {
  #stock: GeneStock = { named: new Map(), fixed: [], slots: 0 };
  /** Whether the residency has ever said what there is. */
  #isKnown = false;
  readonly #pins = new Map<number, readonly number[]>();

  hear(stock: GeneStock): void {
    this.#stock = stock;
    this.#isKnown = true;
  }

  /** Why a turn can never have these genes, as things are; undefined: it can, or nobody knows yet. */
  refusal(genes: readonly NamedGene[]): TroupeError | undefined {
    if (!this.#isKnown || genes.length === 0) return undefined;
    const { named, fixed, slots } = this.#stock;
    const stranger = genes.find(({ gene }) => !named.has(gene));
    if (stranger !== undefined) return new NoSuchGene({ name: stranger.gene });
    const twice = namedTwice(genes.map(({ gene }) => ({ name: gene, gene: named.get(gene) as number })));
    if (twice !== undefined) return twice;
    const neededGenes = new Set([...fixed, ...this.numbers(genes)]).size;
    return neededGenes > slots ? new GeneSlotsFull({ neededGenes, slots }) : undefined;
  }

  /** The genes by their numbers, each once. */
  numbers(genes: readonly NamedGene[]): readonly number[] {
    return [...new Set(genes.map(({ gene }) => this.#stock.named.get(gene) ?? UNKNOWN))];
  }

  room(): GeneRoom {
    return roomOf(this.held());
  }

  held(): HeldGenes {
    const { slots, fixed } = this.#stock;
    return { slots, fixed, pins: this.#pins };
  }

  pin(grant: number, genes: readonly number[]): void {
    this.#pins.set(grant, genes);
  }

  /** False: it held none. */
  unpin(grant: number): boolean {
    return this.#pins.delete(grant);
  }

  /** Grants that hold a gene. */
  holders(gene: number): number[] {
    return [...this.#pins].filter(([, genes]) => genes.includes(gene)).map(([grant]) => grant);
  }

  holds(grant: number): boolean {
    return this.#pins.has(grant);
  }
}
