/**
 * Which turns of which minds hold which genes, as plain data.
 */
import type { ActorId } from '../../runtime/address.js';

export class PinBook {
  readonly #minds = new Map<ActorId, Map<number, readonly number[]>>();
  /** How many turns hold each gene. */
  readonly #turns = new Map<number, number>();

  /** The turn holds these genes, in place of any that it held. */
  pin(mind: ActorId, turn: number, genes: readonly number[]): void {
    this.unpin(mind, turn);
    const turns = this.#minds.get(mind) ?? new Map<number, readonly number[]>();
    this.#minds.set(mind, turns.set(turn, genes));
    for (const gene of genes) this.#turns.set(gene, this.turns(gene) + 1);
  }

  unpin(mind: ActorId, turn: number): void {
    const turns = this.#minds.get(mind);
    for (const gene of turns?.get(turn) ?? []) {
      const left = this.turns(gene) - 1;
      if (left > 0) this.#turns.set(gene, left);
      else this.#turns.delete(gene);
    }
    turns?.delete(turn);
    if (turns?.size === 0) this.#minds.delete(mind);
  }

  /** The mind holds nothing any more. */
  forget(mind: ActorId): void {
    for (const turn of [...(this.#minds.get(mind)?.keys() ?? [])]) this.unpin(mind, turn);
  }

  /** How many turns hold a gene. */
  turns(gene: number): number {
    return this.#turns.get(gene) ?? 0;
  }

  /** Genes that any turn holds. */
  genes(): number[] {
    return [...this.#turns.keys()];
  }

  /** A mind that holds any; the one that has for longest. */
  get holder(): ActorId | undefined {
    return this.#minds.keys().next().value;
  }

  /** Minds of whose turns one holds the gene. */
  holders(gene: number): ActorId[] {
    const holds = (turns: ReadonlyMap<number, readonly number[]>): boolean =>
      [...turns.values()].some((genes) => genes.includes(gene));
    return [...this.#minds].filter(([, turns]) => holds(turns)).map(([mind]) => mind);
  }
}
