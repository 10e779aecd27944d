/**
 * The genes that there are, as plain data: what each name stands for, and where each gene is.
 */
import { GeneNameTaken, NoSuchGene } from '../../errors.js';
import type { GeneInfo, Tier } from '../../native/addon.js';
import { namedTwice } from './named-twice.js';
import type { NamedGene, NamedGeneInfo, PinnedGene } from './protocol.js';
import { type Uses, UseTimes } from './temperature.js';
import type { TieredGene } from './tiers.js';

/** A gene whatever its names. */
export interface HeldGene extends TieredGene {
  readonly hash: string;
  /** Device and host are the same memory of it. */
  readonly inPlace: boolean;
  tier: Tier;
  /** It is on its way there, and in no tier. */
  movingTo: Tier | undefined;
  /** It could not come to the device when it was last tried. */
  isLost: boolean;
  learning: boolean;
  uses: Uses;
}

interface Name {
  readonly info: GeneInfo;
  readonly path: string;
  readonly learning: boolean;
}

export class Inventory {
  readonly #names = new Map<string, Name>();
  readonly #genes = new Map<number, HeldGene>();
  readonly #uses: UseTimes;

  constructor(saved: Iterable<NamedGeneInfo> = [], uses = new UseTimes()) {
    this.#uses = uses;
    for (const gene of saved) this.bind(gene);
  }

  /** Every name with what it stands for. */
  named(): NamedGeneInfo[] {
    return [...this.#names].map(([name, { info, path, learning }]) => {
      const { tier } = this.#held(info.id);
      return { ...info, tier, name, path, learning };
    });
  }

  genes(): HeldGene[] {
    return [...this.#genes.values()];
  }

  gene(id: number): HeldGene | undefined {
    return this.#genes.get(id);
  }

  /** What a name stands for. Throws NoSuchGene. */
  of(name: string): HeldGene {
    const found = this.#names.get(name);
    if (found === undefined) throw new NoSuchGene({ name });
    return this.#held(found.info.id);
  }

  /** The other gene that a name stands for, in whose place one is to come. Throws GeneNameTaken unless it may. */
  replaced(name: string, id: number, replace: boolean): HeldGene | undefined {
    const bound = this.#names.get(name);
    if (bound === undefined || bound.info.id === id) return undefined;
    if (!replace) throw new GeneNameTaken({ name, path: bound.path });
    return this.#held(bound.info.id);
  }

  bind({ name, path, learning, ...info }: NamedGeneInfo): void {
    const { id, bytes, hash, inPlace, tier } = info;
    this.#names.set(name, { info, path, learning });
    const uses = this.#uses.of(hash);
    const fresh = { id, bytes, hash, inPlace, tier, movingTo: undefined, isLost: false, learning, uses };
    const held = this.#genes.get(id) ?? fresh;
    // To load what is on disk brings it to the device.
    if (held.tier === 'disk' && held.movingTo === undefined) Object.assign(held, { tier, isLost: false });
    this.#genes.set(id, held);
    held.learning = this.#isLearning(id);
  }

  /** Takes a name away, and the gene with its last. */
  unbind(name: string): void {
    const id = this.#names.get(name)?.info.id;
    this.#names.delete(name);
    if (id === undefined) return;
    if (this.knows(id)) this.#held(id).learning = this.#isLearning(id);
    else this.#genes.delete(id);
  }

  /** Whether the optimizer has it, under any of its names. */
  #isLearning(id: number): boolean {
    return [...this.#names.values()].some(({ info, learning }) => info.id === id && learning);
  }

  /** Whether any name stands for a gene. */
  knows(id: number): boolean {
    return [...this.#names.values()].some(({ info }) => info.id === id);
  }

  /** A name of a gene, and where its files lie: under each name it was loaded from one. */
  filesOf(id: number): { readonly name: string; readonly paths: readonly string[] } {
    const bound = [...this.#names].filter(([, { info }]) => info.id === id);
    return { name: bound[0]?.[0] ?? '', paths: [...new Set(bound.map(([, { path }]) => path))] };
  }

  /** The gene that each name stands for. */
  ids(): Map<string, number> {
    return new Map([...this.#names].map(([name, { info }]) => [name, info.id]));
  }

  /** Numbers of the genes of those names that there are. */
  idsOf(names: readonly string[]): number[] {
    return names.flatMap((name) => this.#names.get(name)?.info.id ?? []);
  }

  /** Genes that may not leave the device whoever runs what: those of these names, and the optimizer's. */
  fixed(active: readonly string[]): number[] {
    const learning = this.genes().filter((gene) => gene.learning);
    return [...this.idsOf(active), ...learning.map(({ id }) => id)];
  }

  /** A phenotype by the numbers of its genes. Throws NoSuchGene, and BadArgument where two names are of one gene. */
  phenotype(genes: readonly NamedGene[]): PinnedGene[] {
    const phenotype = genes.map(({ gene, scale }) => ({ name: gene, gene: this.of(gene).id, scale }));
    const twice = namedTwice(phenotype);
    if (twice !== undefined) throw twice;
    return phenotype;
  }

  /** A grant is given with these. */
  use(ids: readonly number[]): void {
    const genes = ids.flatMap((id) => this.#genes.get(id) ?? []);
    this.#uses.use(genes.map(({ hash }) => hash));
    for (const gene of genes) gene.uses = this.#uses.of(gene.hash);
  }

  #held(id: number): HeldGene {
    return this.#genes.get(id) as HeldGene;
  }
}
