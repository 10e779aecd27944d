/**
 * Names of genes, as plain data: which gene each stands for, and what loses its last name.
 */
import { GeneNameTaken, NoSuchGene } from '../../errors.js';
import type { NamedGene, NamedGeneInfo, PinnedGene } from './protocol.js';

export class GeneNames {
  readonly #genes = new Map<string, NamedGeneInfo>();

  constructor(genes: Iterable<NamedGeneInfo> = []) {
    for (const gene of genes) this.#genes.set(gene.name, gene);
  }

  all(): NamedGeneInfo[] {
    return [...this.#genes.values()];
  }

  /** What a name stands for. Throws NoSuchGene. */
  named(name: string): NamedGeneInfo {
    const gene = this.#genes.get(name);
    if (gene === undefined) throw new NoSuchGene({ name });
    return gene;
  }

  /** The other gene that a name stands for, in whose place a gene is to come. Throws GeneNameTaken unless it may. */
  replaced(gene: NamedGeneInfo, replace: boolean): NamedGeneInfo | undefined {
    const bound = this.#genes.get(gene.name);
    if (bound === undefined || bound.id === gene.id) return undefined;
    if (!replace) throw new GeneNameTaken({ name: gene.name, path: bound.path });
    return bound;
  }

  bind(gene: NamedGeneInfo): void {
    this.#genes.set(gene.name, gene);
  }

  unbind(name: string): void {
    this.#genes.delete(name);
  }

  /** Whether any name stands for a gene. */
  knows(id: number): boolean {
    return this.all().some((gene) => gene.id === id);
  }

  /** A phenotype by the numbers of its genes. Throws NoSuchGene. */
  phenotype(genes: readonly NamedGene[]): PinnedGene[] {
    return genes.map(({ gene, scale }) => ({ name: gene, gene: this.named(gene).id, scale }));
  }
}
