/**
 * When genes were used, kept over restarts: each turn hands over the uses of the genes that it runs, a few microseconds' work,
 * and what is remembered no more leaves the store with it.
 */
import type { Context } from '../../runtime/actor.js';
import { type Uses, UseTimes } from './temperature.js';

/** What the keys of the saved uses begin with. */
const USE = 'use/';

export function useTimesOf(ctx: Context, saved: ReadonlyMap<string, unknown>): UseTimes {
  const before = [...saved].flatMap(([key, uses]) =>
    key.startsWith(USE) ? [[key.slice(USE.length), uses as Uses] as const] : [],
  );
  return new UseTimes(before, (content, uses) => ctx.save(USE + content, uses));
}
