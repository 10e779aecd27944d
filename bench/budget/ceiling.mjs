/**
 * Whether the store of pages stays under its ceiling: pages of 0.5 to 48 MB come and go under 512 MiB, full most of the time,
 * and what the process has grown by is looked at after each of them.
 */
import { apartIn } from '../harness/apart.mjs';

const CEILING_BYTES = 512 * 2 ** 20;
const PAGES = 1_000;
const SEEDS = [1, 2, 3];

export const ceiling = {
  figures: ['ceiling'],
  async run({ report }) {
    const runs = [];
    for (const seed of SEEDS) {
      runs.push(await apartIn('budget')('ceiling', { ceilingBytes: CEILING_BYTES, pages: PAGES, seed }));
    }
    const largest = Math.max(...runs.map(({ largestBytes }) => largestBytes));
    const peak = Math.max(...runs.map(({ peakBytes }) => peakBytes));
    const refused = runs.reduce((sum, run) => sum + run.refused, 0);
    report({
      figure: 'ceiling',
      value: largest / CEILING_BYTES,
      unit: '',
      bar: 1.05,
      better: 'lower',
      note: `${(largest / 1e6).toFixed(0)} MB of ${(CEILING_BYTES / 1e6).toFixed(0)}, ${(peak / 1e6).toFixed(0)} charged at most; ${SEEDS.length * PAGES} pages, ${refused} refused at first`,
    });
  },
};
