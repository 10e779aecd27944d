/**
 * Turns that find their gene on the device when there are eight times as many genes as slots: with what the residency
 * evicts (LRU-2), against evicting what was used least recently (LRU), and beside the best possible.
 */
import { median, spread } from '../harness/statistics.mjs';
import { atBest, byLru, byLru2 } from './hits.mjs';
import { scan, zipf } from './traces.mjs';

const GENES = 64;
const SLOTS = 8;
const TURNS = 4_096;
const SEEDS = 9;

export const evict = {
  figures: ['evict', 'evict-zipf', 'evict-scan'],
  async run({ report }) {
    const figures = [];
    for (const [name, trace] of Object.entries({ zipf, scan })) {
      const rounds = Array.from({ length: SEEDS }, (_, seed) => {
        const turns = trace({ genes: GENES, turns: TURNS, seed });
        const given = { genes: GENES, slots: SLOTS };
        return { ours: byLru2(turns, given), lru: byLru(turns, given), best: atBest(turns, given) };
      });
      const share = (of) => `${(100 * median(rounds.map((round) => round[of]))).toFixed(1)} %`;
      const ratios = rounds.map(({ ours, lru }) => ours / lru);
      const note = `${name}: ${share('ours')} found, LRU ${share('lru')}, best possible ${share('best')}; ${GENES} genes, ${SLOTS} slots, ${TURNS} turns, ${SEEDS} seeds`;
      const figure = { value: median(ratios), unit: '', better: 'higher', spread: spread(ratios), note };
      figures.push(figure);
      report({ figure: `evict-${name}`, ...figure });
    }
    const least = figures.reduce((low, figure) => (figure.value < low.value ? figure : low));
    report({ figure: 'evict', ...least, bar: 1 });
  },
};
