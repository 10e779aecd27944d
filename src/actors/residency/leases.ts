/**
 * What the residency holds of memory, for the ledger (B1): a lease for each copy of a gene, so two while it moves between two
 * tiers in memory. Pure. A gene in its file alone holds none: the file is its owner's.
 */
import type { Tier } from '../../native/addon.js';
import type { Lease } from '../broker/leases.js';

interface Copies {
  readonly id: number;
  readonly bytes: number;
  readonly tier: Tier;
  /** It is on its way there. */
  readonly movingTo: Tier | undefined;
}

/** `names`: genes by their names. `kept`: those that stay whatever the pressure. */
export function leasesOf(
  genes: readonly Copies[],
  names: ReadonlyMap<string, number>,
  kept: ReadonlySet<number>,
): Lease[] {
  const owners = new Map([...names].map(([name, id]) => [id, name]));
  return genes.flatMap(({ id, bytes, tier, movingTo }) => {
    const floorBytes = kept.has(id) ? bytes : 0;
    const copies = new Set([tier, movingTo ?? tier]);
    copies.delete('disk');
    return [...copies].map((held): Lease => {
      const owner = owners.get(id) ?? `gene ${id}`;
      return { owner, kind: 'genes', tier: held, bytes, floorBytes };
    });
  });
}
