/**
 * Which gene moves next, and where to: of genes, who wants them and the limits, as plain data. Pure.
 *
 * A gene that is wanted comes before one leaves for it, so that no turn waits for two copies: for the length of a move the
 * device holds one gene more than it has slots, and the host one copy less than it will.
 */
import type { Tier } from '../../native/addon.js';
import { byColdest, type Uses } from './temperature.js';

export interface TieredGene {
  readonly id: number;
  readonly bytes: number;
  readonly tier: Tier;
  readonly uses: Uses;
}

export interface Pool<Gene extends TieredGene> {
  readonly genes: readonly Gene[];
  /** To be on the device. */
  readonly wanted: ReadonlySet<number>;
  /** Those that may not leave it, nor memory on their way to it. */
  readonly kept: ReadonlySet<number>;
  /** The one that was asked to leave it. */
  readonly leaving: number | undefined;
  /** Those that could not leave where they are a moment ago. */
  readonly stuck: ReadonlySet<number>;
  /** Genes that the device holds. */
  readonly slots: number;
  /** Bytes that the host holds of genes that are not on the device. */
  readonly hostBytes: number;
}

export interface Move<Gene extends TieredGene> {
  readonly gene: Gene;
  readonly to: Tier;
}

/** What is to be moved next; undefined: nothing, or nothing can be. */
export function nextMove<Gene extends TieredGene>(pool: Pool<Gene>): Move<Gene> | undefined {
  const { genes, wanted, kept, leaving, stuck, slots } = pool;
  const onDevice = genes.filter(({ tier }) => tier === 'device');
  const missing = genes.find(({ id, tier }) => tier !== 'device' && wanted.has(id));
  if (missing !== undefined && onDevice.length <= slots) return { gene: missing, to: 'device' };
  const movable = onDevice.filter(({ id }) => !kept.has(id) && !stuck.has(id));
  const asked = movable.find(({ id }) => id === leaving);
  const victim = asked ?? (onDevice.length > slots ? coldest(movable) : undefined);
  return victim && outOf(pool, victim);
}

/** How a gene leaves the device: to the host, where colder ones may have to make room first, or else to disk. */
export function outOf<Gene extends TieredGene>(
  { genes, kept, stuck, hostBytes }: Pick<Pool<Gene>, 'genes' | 'kept' | 'stuck' | 'hostBytes'>,
  gene: Gene,
): Move<Gene> {
  const onHost = genes.filter(({ tier }) => tier === 'host');
  const used = onHost.reduce((sum, { bytes }) => sum + bytes, 0);
  if (used + gene.bytes <= hostBytes) return { gene, to: 'host' };
  const others = onHost.filter(({ id }) => !kept.has(id) && !stuck.has(id) && gene.bytes <= hostBytes);
  return { gene: coldest([...others, gene]) as Gene, to: 'disk' };
}

/** The first of the coldest. */
export const coldest = <Gene extends TieredGene>(genes: readonly Gene[]): Gene | undefined =>
  genes.reduce<Gene | undefined>(
    (cold, gene) => (cold === undefined || byColdest(gene.uses, cold.uses) < 0 ? gene : cold),
    undefined,
  );
