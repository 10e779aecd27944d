/**
 * Genes of the fake engine: a gene changes every token that is computed under it, so that what follows shows whether the
 * right ones ran.
 */
import { GeneAbsent, GeneInUse } from '../../src/errors.js';
import type { AppliedGene, GeneInfo, Tier } from '../../src/native/addon.js';

/**
 * Contents that there are at most: a gene's number says which it has, for that alone decides what it computes. Every other one
 * moves in place.
 */
const CONTENTS = 16;
const contentOf = ({ gene }: Pick<AppliedGene, 'gene'>): number => gene % CONTENTS;

/** What a lane runs: from a position on, these genes. */
export interface LaneGenes {
  readonly ids: readonly number[];
  readonly key: number;
  readonly from: number;
}

export const NO_GENES: LaneGenes = { ids: [], key: 0, from: 0 };

export function laneGenes(genes: readonly AppliedGene[], from = 0): LaneGenes {
  const sorted = [...genes].sort((a, b) => contentOf(a) - contentOf(b));
  const key = sorted.reduce(
    (sum, each) => Math.imul(sum + 1 + contentOf(each), 31) + Math.round(100 * each.scale),
    0,
  );
  return { ids: sorted.map(({ gene }) => gene), key, from };
}

/** What a lane holds of a token at a position. */
export const computed = (token: number, position: number, { key, from }: LaneGenes): number =>
  key === 0 || position < from ? token : Math.imul(token + 1, 0x9e3779b1) ^ key;

export class FakeGenes {
  readonly #genes = new Map<number, GeneInfo>();
  readonly #contents: string[] = [];
  #last = 0;

  /** Content that is loaded already is the gene that there is, where it is; from disk it comes to the device. */
  load(hash: string): GeneInfo {
    const known = this.list().find((gene) => gene.hash === hash);
    if (known !== undefined && known.tier !== 'disk') return known;
    if (!this.#contents.includes(hash)) this.#contents.push(hash);
    if (this.#contents.length > CONTENTS)
      throw new Error(`there are more than ${CONTENTS} contents of genes`);
    const id = known?.id ?? CONTENTS * ++this.#last + this.#contents.indexOf(hash);
    const inPlace = contentOf({ gene: id }) % 2 === 0;
    const gene = { id, hash, rank: 1, weights: 1, bytes: 1, inPlace, tier: 'device' as const };
    this.#genes.set(gene.id, gene);
    return gene;
  }

  tierOf = (id: number): Tier | undefined => this.#genes.get(id)?.tier;

  /** Throws GeneAbsent, GeneInUse. */
  move(id: number, tier: Tier, isRunning: boolean): boolean {
    if (isRunning && tier !== 'device') throw new GeneInUse({ gene: `gene ${id}`, by: 'a lane' });
    const gene = this.#genes.get(id);
    if (gene === undefined) throw new GeneAbsent({ reason: `there is no gene ${id}` });
    this.#genes.set(id, { ...gene, tier });
    return gene.tier !== tier;
  }

  list = (): GeneInfo[] => [...this.#genes.values()];

  /** Throws GeneInUse. */
  unload(id: number, isRunning: boolean): void {
    if (isRunning) throw new GeneInUse({ gene: `gene ${id}`, by: 'a lane' });
    this.#genes.delete(id);
  }
}
