/**
 * Where genes are, in numbers (G7). Pure.
 */
import type { Tier } from '../../native/addon.js';
import type { GeneStats } from './protocol.js';
import type { TieredGene } from './tiers.js';

type Counts = Pick<GeneStats, 'pagedOut' | 'pagedIn' | 'pagedInOnDemand' | 'dropped' | 'failed'>;

export function statsOf(
  genes: readonly TieredGene[],
  limits: { readonly slots: number; readonly hostBytes: number },
  counts: Counts,
): GeneStats {
  const on = (tier: Tier): readonly TieredGene[] => genes.filter((gene) => gene.tier === tier);
  const bytesOn = (tier: Tier): number => on(tier).reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    slots: Number.isFinite(limits.slots) ? limits.slots : null,
    hostLimitBytes: limits.hostBytes,
    deviceGenes: on('device').length,
    deviceBytes: bytesOn('device'),
    hostGenes: on('host').length,
    hostBytes: bytesOn('host'),
    diskGenes: on('disk').length,
    ...counts,
  };
}
