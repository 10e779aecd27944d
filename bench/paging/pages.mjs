/**
 * A page of 4,000 tokens in contiguous cells, out and in; out into memory never touched is reported without a bar.
 */
import { figureOf, measureCopies, withLanes } from './lane-copies.mjs';

const TOKENS = 4_000;
const BAR = 1.3;

export const pages = {
  figures: ['page-out', 'page-in', 'page-cold'],
  run: ({ say, report }) =>
    withLanes({ say, lanes: 1, tokens: TOKENS }, async (context) => {
      const { bytes, out, in: back, cold } = await measureCopies(context, { say });
      report(figureOf('page-out', out, bytes, BAR));
      report(figureOf('page-in', back, bytes, BAR));
      report(figureOf('page-cold', cold, bytes, undefined));
    }),
};
