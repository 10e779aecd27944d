/**
 * A comparison as figures: the ratio of processor time under its id, the wall-clock one with all cores beside it.
 */
import { compare, TooFewPairs } from '../harness/pairs.mjs';
import { ALL_CORES, ONE_THREAD } from './settings.mjs';

/**
 * @param {object} comparison
 * @param {string} comparison.figure its id
 * @param {number} comparison.bar
 * @param {(threads: number) => [object, object]} comparison.sides ours and the other, for so many ggml threads
 * @param {(figure: object) => void} comparison.report
 * @param {(line: string) => void} comparison.say
 */
export async function reportComparison({ figure, bar, sides, report, say }) {
  const { processor } = await compare(...sides(ONE_THREAD));
  report(asFigure(figure, processor, 'tokens a processor second', bar));
  try {
    const { wall } = await compare(...sides(ALL_CORES));
    report(asFigure(`${figure}-wall`, wall, `tokens a second, ${ALL_CORES} threads`, null));
  } catch (error) {
    if (!(error instanceof TooFewPairs)) throw error;
    say(`${figure}-wall could not be measured on a machine this busy: ${error.message}`);
  }
}

export function asFigure(figure, { ratio, spread, pairs, rates }, unit, bar) {
  const [ours, theirs] = rates.map((rate) => rate.toFixed(1));
  const note = `${ours} against ${theirs} ${unit}; ${pairs} pairs`;
  return { figure, value: ratio, unit: 'ratio', bar, better: 'higher', spread, note };
}
