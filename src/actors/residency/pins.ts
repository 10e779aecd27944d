/**
 * Which grants hold which genes, as plain data.
 */
export class PinBook {
  readonly #grants = new Map<number, readonly number[]>();
  /** How many grants hold each gene. */
  readonly #holders = new Map<number, number>();

  /** The grant holds these genes, in place of any that it held. */
  pin(grant: number, genes: readonly number[]): void {
    this.unpin(grant);
    const held = [...new Set(genes)];
    this.#grants.set(grant, held);
    for (const gene of held) this.#holders.set(gene, this.holders(gene) + 1);
  }

  unpin(grant: number): void {
    for (const gene of this.#grants.get(grant) ?? []) {
      const left = this.holders(gene) - 1;
      if (left > 0) this.#holders.set(gene, left);
      else this.#holders.delete(gene);
    }
    this.#grants.delete(grant);
  }

  clear(): void {
    this.#grants.clear();
    this.#holders.clear();
  }

  /** How many grants hold a gene. */
  holders(gene: number): number {
    return this.#holders.get(gene) ?? 0;
  }

  /** Genes that any grant holds. */
  genes(): number[] {
    return [...this.#holders.keys()];
  }
}
