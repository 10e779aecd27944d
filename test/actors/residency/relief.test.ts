import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Pressed, relieving } from '../../../src/actors/residency/relief.js';
import { byColdest } from '../../../src/actors/residency/temperature.js';
import type { TieredGene } from '../../../src/actors/residency/tiers.js';
import type { Tier } from '../../../src/native/addon.js';

/** `d1`: on the device, used twice, the first time first; `h`, `d` and `f` for host, device and file; each of 10 bytes. */
const TIER: Record<string, Tier> = { d: 'device', h: 'host', f: 'disk' };
const ONE_POOL: readonly Tier[] = ['device', 'host'];
const pressed = (line: string, given: Partial<Pressed<TieredGene>> = {}): Pressed<TieredGene> => ({
  genes: line.split(' ').map((word, id) => ({
    id,
    bytes: 10,
    tier: TIER[word[0] as string] as Tier,
    uses: { before: Number(word.slice(1)), last: 10 },
  })),
  tiers: ONE_POOL,
  kept: new Set(),
  stuck: new Set(),
  hostBytes: 100,
  ...given,
});
const shown = (given: Pressed<TieredGene>) => {
  const move = relieving(given);
  return move && `${move.gene.id} to ${move.to}`;
};
const set = (...ids: number[]) => new Set(ids);

describe('which gene leaves a pool that is under pressure', () => {
  it.each<[string, string | undefined, Pressed<TieredGene>]>([
    ['of one pool the coldest, to disk', '1 to disk', pressed('d2 d1 h3')],
    ['be it out of the way already', '2 to disk', pressed('d2 d3 h1')],
    ['none that may not leave', '0 to disk', pressed('d2 d1', { kept: set(1) })],
    ['none that is stuck', '0 to disk', pressed('d2 d1', { stuck: set(1) })],
    ['nothing, when none can', undefined, pressed('d2 d1', { kept: set(0), stuck: set(1) })],
    ['nothing that is on disk', undefined, pressed('f1 f2')],
    ['of the device alone to the host', '1 to host', pressed('d2 d1 h0', { tiers: ['device'] })],
    [
      'unless that is full: then the coldest to disk',
      '2 to disk',
      pressed('d2 d1 h0', { tiers: ['device'], hostBytes: 10 }),
    ],
    ['which may be itself', '1 to disk', pressed('d2 d1 h3', { tiers: ['device'], hostBytes: 10 })],
    ['of the host alone to disk', '2 to disk', pressed('d1 d2 h3', { tiers: ['host'] })],
  ])('B4 %s', (_, expected, given) => {
    expect(shown(given)).toBe(expected);
  });

  it('B4 takes one gene after the other, the coldest first, down to those that may not leave', () => {
    const gene = fc.record({
      bytes: fc.integer({ min: 1, max: 9 }),
      tier: fc.constantFrom<Tier>('device', 'host', 'disk'),
      uses: fc.record({ last: fc.integer({ min: 0, max: 9 }), before: fc.integer({ min: 0, max: 9 }) }),
      isKept: fc.boolean(),
    });
    const tiersOf = fc.constantFrom<readonly Tier[]>(ONE_POOL, ['device'], ['host']);
    const drawing = fc.tuple(fc.array(gene, { maxLength: 8 }), tiersOf, fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(drawing, ([drawn, tiers, hostBytes]) => {
        const genes = drawn.map(({ isKept, ...each }, id) => ({ id, ...each }));
        const kept = new Set(drawn.flatMap(({ isKept }, id) => (isKept ? [id] : [])));
        const given = { genes, tiers, kept, stuck: set(), hostBytes };
        const inPool = () => genes.filter(({ tier }) => tiers.includes(tier)).map(({ id }) => id);
        const staying = inPool().filter((id) => kept.has(id));
        for (let moves = 1, move = relieving(given); move !== undefined; moves++, move = relieving(given)) {
          const { gene: victim, to } = move;
          expect(kept.has(victim.id)).toBe(false);
          if (tiers.includes(victim.tier)) {
            expect(tiers).not.toContain(to);
            const colder = genes.filter(
              ({ id, tier, uses }) =>
                tiers.includes(tier) && !kept.has(id) && byColdest(uses, victim.uses) < 0,
            );
            expect(colder).toEqual([]);
          }
          genes[victim.id] = { ...victim, tier: to };
          expect(moves).toBeLessThanOrEqual(2 * genes.length);
        }
        expect(inPool()).toEqual(staying);
      }),
    );
  });
});
