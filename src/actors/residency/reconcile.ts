/**
 * Which gene comes back to the device before a turn asks for it (G6): of those that rooms of present minds ran last, the
 * warmest with which every pool stays well below full. Pure.
 */
import type { PoolUse } from './protocol.js';
import { byColdest } from './temperature.js';
import type { TieredGene } from './tiers.js';

/** With it a pool stays below this: where pressure is high (B3), relief would take it away again. */
const FULL = 0.8;
/** After a relief nothing comes back before the pool has been below this, so that it does not come and go. */
const CALM = 0.6;

type Pool = Omit<PoolUse, 'type'>;

export interface Absent<Gene extends TieredGene> {
  readonly genes: readonly Gene[];
  /** Those that are to come, if there is room. */
  readonly wanted: ReadonlySet<number>;
  /** Genes that the device may hold. */
  readonly slots: number;
  /** The pool that the device's genes lie in; undefined: nobody counts it. */
  readonly pool: Pool | undefined;
  /** The pool was relieved, and has not been calm since. */
  readonly relieved: boolean;
}

/** Undefined: none is to come, or there is no room for any. */
export function comesBack<Gene extends TieredGene>(absent: Absent<Gene>): Gene | undefined {
  const { genes, wanted, slots, pool, relieved } = absent;
  if (relieved) return undefined;
  const onDevice = genes.filter(({ tier }) => tier === 'device').length;
  if ((onDevice + 1) / slots >= FULL) return undefined;
  return genes
    .filter(({ id, tier }) => tier !== 'device' && wanted.has(id))
    .filter((gene) => pressureWith(gene, pool) < FULL)
    .reduce<Gene | undefined>(
      (warm, gene) => (warm === undefined || byColdest(gene.uses, warm.uses) > 0 ? gene : warm),
      undefined,
    );
}

/** Whether a pool that was relieved has rested since. */
export const isCalm = ({ usedBytes, capacityBytes }: Pool): boolean =>
  capacityBytes === 0 || usedBytes / capacityBytes < CALM;

/** A gene that moves within a pool adds nothing to it. */
function pressureWith(gene: TieredGene, pool: Pool | undefined): number {
  if (pool === undefined || pool.capacityBytes === 0) return 0;
  const added = pool.tiers.includes(gene.tier) ? 0 : gene.bytes;
  return (pool.usedBytes + added) / pool.capacityBytes;
}
