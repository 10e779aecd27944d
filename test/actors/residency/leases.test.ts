/** What the residency says that it holds of memory. */
import { describe, expect, it } from 'vitest';
import { leasesOf } from '../../../src/actors/residency/leases.js';
import type { Tier } from '../../../src/native/addon.js';

const gene = (id: number, tier: Tier, movingTo?: Tier) => ({ id, bytes: 100, tier, movingTo });
const NAMES = new Map([
  ['a', 1],
  ['b', 2],
  ['c', 3],
]);
const held = (genes: ReturnType<typeof gene>[], kept: number[] = []) =>
  leasesOf(genes, NAMES, new Set(kept)).map(({ owner, tier, floorBytes }) => [owner, tier, floorBytes]);

describe('leases of genes', () => {
  it('B1 are one for each gene in memory, and none for one that is on disk', () => {
    expect(held([gene(1, 'device'), gene(2, 'host'), gene(3, 'disk')])).toEqual([
      ['a', 'device', 0],
      ['b', 'host', 0],
    ]);
  });

  it.each([
    ['host', 'device', ['host', 'device']],
    ['device', 'host', ['device', 'host']],
    ['device', 'disk', ['device']],
    ['disk', 'device', ['device']],
  ] as const)('B1 are one for each copy while a gene moves from %s to %s', (tier, to, tiers) => {
    expect(held([gene(1, tier, to)]).map(([, where]) => where)).toEqual(tiers);
  });

  it('B2 have a floor where the gene may not leave', () => {
    expect(held([gene(1, 'device'), gene(2, 'device')], [2])).toEqual([
      ['a', 'device', 0],
      ['b', 'device', 100],
    ]);
  });
});
