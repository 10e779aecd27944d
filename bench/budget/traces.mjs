/**
 * Which gene each turn runs, in order, made from a seed: the same on every machine.
 */
import { Random } from '../../dist/testing/random.js';

/** A few genes are asked for most: that of rank r as often as 1/r, each turn by itself. */
export function zipf({ genes, turns, seed }) {
  const random = new Random(seed);
  const sums = [];
  for (let rank = 1, sum = 0; rank <= genes; rank++) {
    sum += 1 / rank;
    sums.push(sum);
  }
  return Array.from({ length: turns }, () => {
    const at = random.fraction() * sums.at(-1);
    return sums.findIndex((sum) => at < sum);
  });
}

/** The same over half of the genes; and again and again somebody goes through some of the others, one by one, once. */
export function scan({ genes, turns, seed }) {
  const half = genes / 2;
  const asked = zipf({ genes: half, turns: turns / 2, seed });
  const scanned = Array.from({ length: turns / 2 }, (_, i) => half + (i % half));
  const length = half / 2;
  const trace = [];
  for (let i = 0; i < turns / 2; i += length) {
    trace.push(...asked.slice(i, i + length), ...scanned.slice(i, i + length));
  }
  return trace;
}
