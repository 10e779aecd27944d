/**
 * Two sides measured in one process: they take turns in short slices, and each pair of neighbouring slices gives one ratio,
 * as in `pairs.mjs`. For work that ends by itself after a few milliseconds, so that nobody has to be stopped in the middle.
 *
 * A side is `{ work, tidy, enter, leave }`, all but `work` optional. `work()` does one piece of work, checks it, and answers
 * how much it was. Not measured: `tidy()` after each piece, `enter()` and `leave()` around each slice.
 */
import { ownProcessorTimeUs } from './processor.mjs';

export const PAIRS = 15;
const SLICE_MS = 300;
const WARM_UP_MS = 600;

const NOTHING = () => {};

/** The slices of both sides, as `ratios` of `pairs.mjs` takes them. */
export async function interleave(sides, { pairs = PAIRS, sliceMs = SLICE_MS, warmUpMs = WARM_UP_MS } = {}) {
  for (const side of sides) await slice(side, warmUpMs);
  const slices = sides.map(() => []);
  for (let pair = 0; pair < pairs; pair++) {
    for (const side of pair % 2 === 0 ? [0, 1] : [1, 0]) slices[side].push(await slice(sides[side], sliceMs));
  }
  return slices;
}

/** Pieces of work until the time is over, the last one whole. */
async function slice({ work, tidy = NOTHING, enter = NOTHING, leave = NOTHING }, ms) {
  const sum = { tokens: 0, wallMs: 0, processorUs: 0 };
  await enter();
  for (const begun = performance.now(); performance.now() - begun < ms; ) {
    const [from, processorFrom] = [performance.now(), ownProcessorTimeUs()];
    sum.tokens += await work();
    sum.wallMs += performance.now() - from;
    sum.processorUs += ownProcessorTimeUs() - processorFrom;
    await tidy();
  }
  await leave();
  return sum;
}

/** Throws unless a piece of work came out as it must. */
export function expectWork(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${found}, not ${wanted}`);
}
