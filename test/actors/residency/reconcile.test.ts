import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Absent, comesBack, isCalm } from '../../../src/actors/residency/reconcile.js';
import { byColdest } from '../../../src/actors/residency/temperature.js';
import type { TieredGene } from '../../../src/actors/residency/tiers.js';
import type { Tier } from '../../../src/native/addon.js';

/** `d1`: on the device, used twice, the first time first; `h`, `d` and `f` for host, device and file; each of 10 bytes. */
const TIER: Record<string, Tier> = { d: 'device', h: 'host', f: 'disk' };
const genesOf = (line: string): TieredGene[] =>
  line.split(' ').map((word, id) => ({
    id,
    bytes: 10,
    tier: TIER[word[0] as string] as Tier,
    uses: { before: Number(word.slice(1)), last: 10 },
  }));
const all = new Set([0, 1, 2, 3, 4, 5]);
const absent = (line: string, given: Partial<Absent<TieredGene>> = {}): Absent<TieredGene> => ({
  genes: genesOf(line),
  wanted: all,
  slots: 10,
  pool: undefined,
  relieved: false,
  ...given,
});
const one = (usedBytes: number, capacityBytes: number) => ({
  ...{ usedBytes, capacityBytes, tiers: ['device', 'host'] as const },
});
const two = (usedBytes: number, capacityBytes: number) => ({
  ...{ usedBytes, capacityBytes, tiers: ['device'] as const },
});

describe('what comes back before it is asked for', () => {
  it.each<[string, number | undefined, Absent<TieredGene>]>([
    ['the warmest', 2, absent('d9 h1 h3 h2')],
    ['from disk too', 1, absent('h1 f2')],
    ['of those that are wanted', 1, absent('d9 h1 h3', { wanted: new Set([0, 1]) })],
    ['nothing that nobody wants', undefined, absent('h1 h2', { wanted: new Set() })],
    ['nothing that is there', undefined, absent('d1 d2')],
    ['as long as the slots stay below 0.8', 4, absent('d1 d1 d1 h1 h2', { slots: 6 })],
    ['and not at 0.8', undefined, absent('d1 d1 d1 h1 h2', { slots: 5 })],
    ['never to the last slot', undefined, absent('h1', { slots: 1 })],
    ['without limit where there is none', 3, absent('d1 d1 d1 h1', { slots: Number.POSITIVE_INFINITY })],
    ['as long as the pool stays below 0.8', 0, absent('h1', { pool: two(69, 100) })],
    ['and not at 0.8 either', undefined, absent('h1', { pool: two(70, 100) })],
    ['from the host of the same pool, which adds nothing', 0, absent('h1', { pool: one(79, 100) })],
    ['unless it is at 0.8 already', undefined, absent('h1', { pool: one(80, 100) })],
    ['the warmest that fits', 0, absent('h1 f2', { pool: one(75, 100) })],
    ['whatever a pool holds that is not managed', 0, absent('h1', { pool: two(9, 0) })],
    ['nothing after a relief', undefined, absent('h1', { pool: two(0, 100), relieved: true })],
  ])('G6 %s', (_, expected, given) => {
    expect(comesBack(given)?.id).toBe(expected);
  });

  it('G6 a relief is over when the pool has been below 0.6', () => {
    expect([59, 60, 79].map((used) => isCalm(one(used, 100)))).toEqual([true, false, false]);
    expect(isCalm(one(59, 0))).toBe(true);
  });

  it('G6 brings back the warmest first, until no other fits, and passes no limit', () => {
    const gene = fc.record({
      bytes: fc.integer({ min: 1, max: 30 }),
      tier: fc.constantFrom<Tier>('device', 'host', 'disk'),
      uses: fc.record({ last: fc.integer({ min: 0, max: 9 }), before: fc.integer({ min: 0, max: 9 }) }),
      isWanted: fc.boolean(),
    });
    const given = fc.record({
      drawn: fc.array(gene, { maxLength: 8 }),
      slots: fc.integer({ min: 1, max: 12 }),
      used: fc.integer({ min: 0, max: 100 }),
      isOnePool: fc.boolean(),
    });
    fc.assert(
      fc.property(given, ({ drawn, slots, used, isOnePool }) => {
        const genes = drawn.map(({ isWanted, ...each }, id) => ({ id, ...each }));
        const wanted = new Set(drawn.flatMap(({ isWanted }, id) => (isWanted ? [id] : [])));
        const tiers: readonly Tier[] = isOnePool ? ['device', 'host'] : ['device'];
        let usedBytes = used;
        const next = () =>
          comesBack({
            genes,
            wanted,
            slots,
            pool: { usedBytes, capacityBytes: 100, tiers },
            relieved: false,
          });
        const added = ({ tier, bytes }: TieredGene) => (tiers.includes(tier) ? 0 : bytes);
        for (let back = next(); back !== undefined; back = next()) {
          const warmer = genes.filter(
            ({ id, tier, uses }) =>
              wanted.has(id) && tier !== 'device' && byColdest(uses, (back as TieredGene).uses) > 0,
          );
          for (const other of warmer) expect(usedBytes + added(other)).toBeGreaterThanOrEqual(80);
          usedBytes += added(back);
          genes[back.id] = { ...back, tier: 'device' };
          expect(usedBytes).toBeLessThan(80);
          expect(genes.filter(({ tier }) => tier === 'device').length / slots).toBeLessThan(0.8);
        }
        const onDevice = genes.filter(({ tier }) => tier === 'device').length;
        for (const left of genes.filter(({ id, tier }) => wanted.has(id) && tier !== 'device')) {
          expect((onDevice + 1) / slots >= 0.8 || usedBytes + added(left) >= 80).toBe(true);
        }
      }),
    );
  });
});
