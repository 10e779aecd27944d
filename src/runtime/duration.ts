/**
 * How long something takes, as people say it: the two largest units, and a fraction only of seconds.
 */

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Milliseconds as "850 ms", "12.3 s", "4 min 10 s", "2 h 5 min" or "3 d 4 h". */
export function duration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  if (Math.round(ms / 100) < 600) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const first = UNITS.findIndex(([, length]) => seconds >= length);
  const [unit, length] = UNITS[first] as (typeof UNITS)[number];
  const [next, nextLength] = UNITS[first + 1] ?? ['', 1];
  const whole = Math.floor(seconds / length);
  const rest = Math.floor((seconds % length) / nextLength);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${next}`;
}
