/**
 * Two sides measured side by side: they take turns in short slices, and each pair of neighbouring slices gives one
 * ratio, so that what disturbs the machine for longer than a slice disturbs both.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs } from './processor.mjs';
import { startSide } from './side.mjs';
import { median, medianInterval, spread } from './statistics.mjs';

const PAIRS = 16;
const LEAST_PAIRS = 9;
const SLICE_MS = 750;

/** On a busy machine a slice may pass without one whole step. */
export class TooFewPairs extends Error {}

/**
 * Runs two sides, `{ script, options }` each, and answers the ratios first / second of tokens per processor second
 * and per second of wall clock, and both sides' own rates.
 * @param {{ script: string, options: object }} first
 * @param {{ script: string, options: object }} second
 */
export async function compare(first, second) {
  const sides = [];
  try {
    for (const { script, options } of [first, second]) {
      const side = await startSide(script, options);
      sides.push(side);
      side.begin();
      await sleep(SLICE_MS / 2);
      side.pause();
    }
    const slices = await alternate(sides);
    const reports = [];
    for (const side of sides) reports.push(await side.finish());
    return ratios(reports.map(({ samples }, side) => slices[side].map((slice) => work(samples, slice))));
  } finally {
    for (const side of sides) side.kill();
  }
}

/** `[start, end]` of every slice, by side. The order within a pair turns around from pair to pair. */
async function alternate(sides) {
  const slices = sides.map(() => []);
  for (let pair = 0; pair < PAIRS; pair++) {
    for (const side of pair % 2 === 0 ? [0, 1] : [1, 0]) {
      sides[side].resume();
      const start = clockMs();
      await sleep(SLICE_MS);
      slices[side].push([start, clockMs()]);
      sides[side].pause();
    }
  }
  return slices;
}

/** What was done between the first and the last sample of a slice; undefined if it holds fewer than two. */
export function work(samples, [start, end]) {
  const within = samples.filter(([time]) => time >= start && time <= end);
  if (within.length < 2) return undefined;
  const [from, to] = [within[0], within.at(-1)];
  return { wallMs: to[0] - from[0], tokens: to[1] - from[1], processorUs: to[2] - from[2] };
}

/** Ratios over the pairs in which both sides did something. `works`: the slices' work, by side. */
export function ratios([first, second]) {
  const pairs = first.map((work, i) => [work, second[i]]).filter(([a, b]) => a && b);
  if (pairs.length < LEAST_PAIRS)
    throw new TooFewPairs(`only ${pairs.length} pairs of slices hold whole steps`);
  const over = (cost) => pairs.map(([a, b]) => a.tokens / a[cost] / (b.tokens / b[cost]));
  const rate = (side, cost, unit) =>
    median(pairs.map((pair) => (unit * pair[side].tokens) / pair[side][cost]));
  const summary = (cost, unit) => ({
    ratio: median(over(cost)),
    spread: spread(over(cost)),
    interval: medianInterval(over(cost)),
    pairs: pairs.length,
    rates: [rate(0, cost, unit), rate(1, cost, unit)],
  });
  return { processor: summary('processorUs', 1e6), wall: summary('wallMs', 1e3) };
}
