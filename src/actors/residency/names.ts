/**
 * Names of genes and who pins them, as plain data: what may be bound, unbound and pinned, and what is left over.
 */
import { GeneInUse, GeneNameTaken, NoSuchGene } from '../../errors.js';
import type { ActorId } from '../../runtime/address.js';
import type { NamedGene, NamedGeneInfo, PinnedGene } from './protocol.js';

export class GeneNames {
  readonly #genes = new Map<string, NamedGeneInfo>();
  /** Names that each turn of a mind pins. */
  readonly #pins = new Map<ActorId, Map<number, readonly string[]>>();
  readonly #default: readonly string[];

  constructor(active: readonly string[], genes: Iterable<NamedGeneInfo> = []) {
    this.#default = active;
    for (const gene of genes) this.#genes.set(gene.name, gene);
  }

  all(): NamedGeneInfo[] {
    return [...this.#genes.values()];
  }

  /** Answers the gene that lost its last name, if one did. Throws GeneNameTaken, GeneInUse. */
  bind(gene: NamedGeneInfo, replace: boolean): number[] {
    const bound = this.#genes.get(gene.name);
    if (bound !== undefined && bound.id !== gene.id) {
      if (!replace) throw new GeneNameTaken({ name: gene.name, path: bound.path });
      this.#checkUnpinned(gene.name);
    }
    this.#genes.set(gene.name, gene);
    return bound === undefined ? [] : this.#orphans(bound.id);
  }

  /** Answers the gene that lost its last name, if it did. Throws NoSuchGene, GeneInUse. */
  unbind(name: string): number[] {
    const bound = this.#named(name);
    if (this.#default.includes(name)) {
      throw new GeneInUse({ gene: name, by: 'minds that name no genes: it is active by default' });
    }
    this.#checkUnpinned(name);
    this.#genes.delete(name);
    return this.#orphans(bound.id);
  }

  /** Throws NoSuchGene; then nothing is pinned. */
  pin(mind: ActorId, turn: number, genes: readonly NamedGene[]): PinnedGene[] {
    const pinned = genes.map(({ gene, scale }) => ({ name: gene, gene: this.#named(gene).id, scale }));
    const turns = this.#pins.get(mind) ?? new Map<number, readonly string[]>();
    turns.set(
      turn,
      genes.map(({ gene }) => gene),
    );
    this.#pins.set(mind, turns);
    return pinned;
  }

  unpin(mind: ActorId, turn: number): void {
    const turns = this.#pins.get(mind);
    turns?.delete(turn);
    if (turns?.size === 0) this.#pins.delete(mind);
  }

  forget(mind: ActorId): void {
    this.#pins.delete(mind);
  }

  #named(name: string): NamedGeneInfo {
    const gene = this.#genes.get(name);
    if (gene === undefined) throw new NoSuchGene({ name });
    return gene;
  }

  #checkUnpinned(name: string): void {
    let turns = 0;
    for (const pins of this.#pins.values()) {
      for (const names of pins.values()) if (names.includes(name)) turns++;
    }
    if (turns > 0) throw new GeneInUse({ gene: name, by: turns === 1 ? 'one turn' : `${turns} turns` });
  }

  #orphans(id: number): number[] {
    return this.all().some((gene) => gene.id === id) ? [] : [id];
  }
}
