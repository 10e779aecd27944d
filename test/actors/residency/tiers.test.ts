import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextMove, type Pool, type TieredGene } from '../../../src/actors/residency/tiers.js';
import type { Tier } from '../../../src/native/addon.js';

/** `d1`: on the device, used twice, the first time first; `h`, `d` and `f` for host, device and file. */
const TIER: Record<string, Tier> = { d: 'device', h: 'host', f: 'disk' };
const genesOf = (line: string): TieredGene[] =>
  line.split(' ').map((word, id) => ({
    id,
    bytes: 10,
    tier: TIER[word[0] as string] as Tier,
    uses: { before: Number(word.slice(1)), last: 10 },
  }));
const pool = (line: string, given: Partial<Pool<TieredGene>> = {}): Pool<TieredGene> => ({
  genes: genesOf(line),
  wanted: new Set(),
  kept: given.wanted ?? new Set(),
  leaving: undefined,
  stuck: new Set(),
  slots: 2,
  hostBytes: 20,
  ...given,
});
const shown = (given: Pool<TieredGene>) => {
  const move = nextMove(given);
  return move && `${move.gene.id} to ${move.to}`;
};
const set = (...ids: number[]) => new Set(ids);

describe('which gene moves next', () => {
  it.each<[string, string | undefined, Pool<TieredGene>]>([
    ['nothing, when all is well', undefined, pool('d1 d2 h3')],
    [
      'one that is wanted, before another makes room for it',
      '2 to device',
      pool('d1 d2 h3', { wanted: set(2) }),
    ],
    ['then the coldest', '1 to host', pool('d2 d1 d3', { wanted: set(2) })],
    [
      'the other first, when there is one too many already',
      '1 to host',
      pool('d2 d1 d3 h4', { wanted: set(2, 3) }),
    ],
    ['none that is held', '0 to host', pool('d9 d1 d3', { wanted: set(1, 2) })],
    ['none that is kept', '2 to host', pool('d1 d2 d3', { kept: set(0, 1) })],
    ['nothing, when none can', undefined, pool('d1 d2 d3', { kept: set(0, 1, 2) })],
    ['none that is stuck', '1 to host', pool('d1 d2 d3', { stuck: set(0) })],
    ['one that never ran, first', '1 to host', pool('d1 d0 d2')],
    ['one that was asked to leave, though there is room', '1 to host', pool('d1 d2', { leaving: 1 })],
    ['from disk too', '0 to device', pool('f1', { wanted: set(0) })],
    ['the coldest of the host, where that is full', '3 to disk', pool('d7 d8 d9 h4 h5', { kept: set(1, 2) })],
    ['the next of the host, when that is stuck', '4 to disk', pool('d7 d8 d9 h4 h5', { stuck: set(3) })],
    [
      'none that is on its way to the device',
      '4 to disk',
      pool('d7 d8 d9 h4 h5', { kept: set(3), wanted: set(3) }),
    ],
    ['itself, when none of the host can', '0 to disk', pool('d7 d8 d9 h4 h5', { stuck: set(3, 4) })],
    ['itself, when it is colder than what the full host has', '0 to disk', pool('d1 d8 d9 h4 h5')],
    ['itself, when the host could never hold it', '0 to disk', pool('d1 d2 d3 h4', { hostBytes: 9 })],
  ])('G4 G5 %s', (_, expected, given) => {
    expect(shown(given)).toBe(expected);
  });

  it('G4 G5 comes to an end, with what is wanted there and no limit passed', () => {
    const gene = fc.record({
      bytes: fc.integer({ min: 1, max: 9 }),
      tier: fc.constantFrom<Tier>('device', 'host', 'disk'),
      uses: fc.record({ last: fc.integer({ min: 0, max: 9 }), before: fc.integer({ min: 0, max: 9 }) }),
      held: fc.boolean(),
    });
    const all = fc.array(gene, { minLength: 1, maxLength: 8 });
    const limits = fc.record({
      slots: fc.integer({ min: 1, max: 8 }),
      hostBytes: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(all, limits, (drawn, { slots, hostBytes }) => {
        const genes = drawn.map(({ held, ...each }, id) => ({ id, ...each }));
        const wanted = new Set(drawn.flatMap(({ held }, id) => (held ? [id] : [])).slice(0, slots));
        const moves: string[] = [];
        const before = genes.filter(({ tier }) => tier === 'device').length;
        for (;;) {
          const move = nextMove({
            genes,
            wanted,
            kept: wanted,
            leaving: undefined,
            stuck: set(),
            slots,
            hostBytes,
          });
          if (move === undefined) break;
          moves.push(`${move.gene.id} to ${move.to}`);
          genes[move.gene.id] = { ...move.gene, tier: move.to };
          const on = (tier: Tier) => genes.filter((each) => each.tier === tier);
          expect(on('device').length).toBeLessThanOrEqual(Math.max(before, slots + 1));
          expect(moves.length).toBeLessThan(3 * genes.length);
        }
        const on = (tier: Tier) => genes.filter((each) => each.tier === tier);
        expect(on('device').length).toBeLessThanOrEqual(slots);
        for (const id of wanted) expect(genes[id]?.tier).toBe('device');
        const left = on('host').reduce((sum, { bytes }) => sum + bytes, 0);
        const first = drawn.reduce((sum, { tier, bytes }) => sum + (tier === 'host' ? bytes : 0), 0);
        expect(left).toBeLessThanOrEqual(Math.max(hostBytes, first));
      }),
    );
  });
});
