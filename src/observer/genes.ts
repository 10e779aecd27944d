/**
 * The genes of a troupe as observers see them: plain data that the source fills, cut to a bound.
 */

/** Genes of one answer: what a person reads. */
export const MAX_GENES = 1_000;

export interface GeneSeen {
  readonly name: string;
  readonly tier: 'device' | 'host' | 'disk';
  readonly bytes: number;
  readonly rank: number;
  /** Weights that it changes. */
  readonly weights: number;
  readonly learning: boolean;
}

export interface GeneCounts {
  /** null: no limit. */
  readonly slots: number | null;
  readonly hostLimitBytes: number;
  readonly deviceGenes: number;
  readonly deviceBytes: number;
  readonly hostGenes: number;
  readonly hostBytes: number;
  readonly diskGenes: number;
  readonly pagedOut: number;
  readonly pagedIn: number;
  readonly pagedInOnDemand: number;
  readonly dropped: number;
  readonly failed: number;
}

export interface GenesSeen {
  readonly genes: readonly GeneSeen[];
  /** Genes that are left out. */
  readonly more: number;
  readonly stats: GeneCounts;
}

export function genesSeen(all: readonly GeneSeen[], stats: GeneCounts): GenesSeen {
  const genes = all.slice(0, MAX_GENES).map(({ name, tier, bytes, rank, weights, learning }) => ({
    name,
    tier,
    bytes,
    rank,
    weights,
    learning,
  }));
  return { genes, more: all.length - genes.length, stats };
}
