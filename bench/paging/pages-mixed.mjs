/**
 * A page of one of four minds whose cells interleave token by token, out and in while the others stay: 1,000 tokens each.
 */
import { figureOf, measureCopies, withLanes } from './lane-copies.mjs';

const MINDS = 4;
const TOKENS = 1_000;
const BAR = 1.6;

export const pagesMixed = {
  figures: ['page-out-mixed', 'page-in-mixed'],
  run: ({ say, report }) =>
    withLanes({ say, lanes: MINDS, tokens: TOKENS }, async (context) => {
      const { bytes, out, in: back } = await measureCopies(context, { say });
      report(figureOf('page-out-mixed', out, bytes, BAR));
      report(figureOf('page-in-mixed', back, bytes, BAR));
    }),
};
