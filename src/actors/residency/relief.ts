/**
 * Which gene leaves a pool of memory that is under pressure (B4, B5), and to where: the coldest of those that may leave, to
 * the next tier that does not lie in the pool. Pure.
 */
import type { Tier } from '../../native/addon.js';
import { coldest, type Move, outOf, type TieredGene } from './tiers.js';

export interface Pressed<Gene extends TieredGene> {
  readonly genes: readonly Gene[];
  /** Tiers that lie in the pool: both where the device computes in host memory. */
  readonly tiers: readonly Tier[];
  /** Those that may not leave the device. */
  readonly kept: ReadonlySet<number>;
  /** Those that could not leave where they are a moment ago. */
  readonly stuck: ReadonlySet<number>;
  /** Bytes that the host holds of genes that are not on the device. */
  readonly hostBytes: number;
}

/** What is to be moved next for the pool; undefined: nothing can be. */
export function relieving<Gene extends TieredGene>(pressed: Pressed<Gene>): Move<Gene> | undefined {
  const { genes, tiers, kept, stuck } = pressed;
  const movable = genes.filter(({ id, tier }) => tiers.includes(tier) && !kept.has(id) && !stuck.has(id));
  const victim = coldest(movable);
  if (victim === undefined) return undefined;
  return tiers.includes('host') ? { gene: victim, to: 'disk' } : outOf(pressed, victim);
}
