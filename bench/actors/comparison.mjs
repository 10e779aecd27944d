/**
 * A comparison as a part of the bench: ours against another side, by processor time under the figure's id and by wall clock
 * beside it.
 */
import { PAIRS } from '../harness/interleave.mjs';
import { ratios } from '../harness/pairs.mjs';
import { nodePeers } from '../peers/node.mjs';
import { apart } from './apart.mjs';

/**
 * @param {object} comparison
 * @param {string} comparison.figure its id
 * @param {number | null} comparison.bar
 * @param {[string, string]} comparison.sides ours and the other, as `file#export` of the folder `bench`
 * @param {object} [comparison.options] handed to both
 * @param {string} comparison.of what is counted
 * @param {'rate' | 'cost'} [comparison.as] more a second is better, or less time each
 * @param {number} [comparison.leastRate] the other side must make as many a processor second, or there is no figure
 */
export const comparison = ({ figure, bar, sides, options = {}, of, as = 'rate', leastRate = 0 }) => ({
  figures: [figure],
  async run({ say, report }) {
    await nodePeers({ say });
    const { processor, wall } = ratios(await slices(sides, options));
    const [, theirs] = processor.rates;
    if (theirs < leastRate) {
      say(`${figure}: the other side makes ${theirs.toFixed(0)} ${of} a second, so this counts for nothing`);
    }
    report(asFigure(figure, processor, as, `${of} a processor second`, theirs < leastRate ? Infinity : bar));
    report(asFigure(`${figure}-wall`, wall, as, `${of} a second`, null));
  },
});

/** Half of the pairs with ours made first, half with the other's: the first has the better place in memory. */
async function slices(sides, { pairs = PAIRS, ...options }) {
  const half = { ...options, pairs: Math.ceil(pairs / 2) };
  const halves = [];
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    halves.push(await apart('pair', { sides, options: half, order }));
  }
  return sides.map((_, side) => halves.flatMap((half) => half[side]));
}

function asFigure(figure, { ratio, spread, pairs, rates }, as, unit, bar) {
  const [ours, theirs] = rates.map((rate) => Math.round(rate).toLocaleString('en'));
  const note = `${ours} against ${theirs} ${unit}; ${pairs} pairs`;
  const same = { figure, unit: 'ratio', bar, note };
  if (as === 'rate') return { ...same, value: ratio, spread, better: 'higher' };
  return { ...same, value: 1 / ratio, spread: [1 / spread[1], 1 / spread[0]], better: 'lower' };
}
