/**
 * Statistics of few numbers. All are pure, and take the numbers in any order.
 */

/** The value below which the fraction `at` of `values` lies, interpolated between neighbours. */
export function quantile(values, at) {
  if (values.length === 0) throw new Error('no values to take a quantile of');
  const sorted = Float64Array.from(values).sort();
  const place = at * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

export const median = (values) => quantile(values, 0.5);

/** The quartiles: what half of the values lie between. */
export const spread = (values) => [quantile(values, 0.25), quantile(values, 0.75)];

/** Between which of the sorted values the true median lies with 95 % probability: order statistics of the binomial. */
export function medianInterval(values) {
  const sorted = Float64Array.from(values).sort();
  const { length } = sorted;
  let probability = 2 ** -length;
  let below = probability;
  let rank = 0;
  while (below <= 0.025) {
    rank++;
    probability *= (length - rank + 1) / rank;
    below += probability;
  }
  const from = Math.max(0, rank - 1);
  return [sorted[from], sorted[length - 1 - from]];
}
