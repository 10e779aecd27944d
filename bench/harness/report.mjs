/**
 * Figures as a person reads them, or as one JSON object a line.
 */

/**
 * A figure: `{ figure, value, unit, better: 'higher' | 'lower' }`, with `bar` when it has one, `spread` when it is
 * a median, and a `note`.
 */
export function judge(figure) {
  const { value, bar = null, better } = figure;
  const ok = bar === null || (better === 'higher' ? value >= bar : value <= bar);
  return { ...figure, bar, ok: ok && Number.isFinite(value) };
}

export function asJson(bench, judged) {
  const { figure, value, unit, bar, better, ok } = judged;
  return JSON.stringify({ bench, figure, value: Number(value.toPrecision(6)), unit, bar, better, ok });
}

export function asLine(judged) {
  const { figure, value, unit, bar, better, ok, spread, note } = judged;
  const verdict = bar === null ? '    ' : ok ? 'ok  ' : 'MISS';
  const against = bar === null ? '' : `bar ${better === 'higher' ? '>=' : '<='} ${bar}`;
  const between = spread ? `half of the pairs ${shown(spread[0])} to ${shown(spread[1])}` : '';
  const columns = [verdict, figure.padEnd(20), `${shown(value)} ${unit}`.padEnd(16), against.padEnd(12)];
  return `${columns.join(' ')} ${[between, note].filter(Boolean).join('; ')}`.trimEnd();
}

const shown = (value) => (Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(4));
