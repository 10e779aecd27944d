/**
 * Stop strings, matched over the bytes of a reply as they come.
 *
 * The match that ends first wins, and of several that end at the same byte the longest: so the text before a stop
 * is the same however the reply is cut into tokens. Valid UTF-8 synchronises itself, so matching bytes is matching
 * characters. Turning bytes into text is not done here (see stream.ts).
 */
import { BadArgument } from '../../errors.js';

/** Most stop strings of one turn: each costs a comparison a byte. */
export const MAX_STOPS = 16;
/** Longest stop string in UTF-8 bytes: as much of a reply can be held back. */
export const MAX_STOP_BYTES = 256;

export interface StopMatcher {
  /** Takes one byte; answers the length in bytes of the stop string that ends with it, else 0. */
  step(byte: number): number;
  /** Bytes at the end of what was taken that may yet become a stop string. */
  held(): number;
}

/** Checks the public `stop` option: a string or a list of them; none of them empty. */
export function checkStops(value: unknown, where: string): readonly string[] {
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > MAX_STOPS) {
    throw new BadArgument({ argument: where, value, expected: `at most ${MAX_STOPS} stop strings` });
  }
  return list.map((stop, i) => {
    const bytes = typeof stop === 'string' ? Buffer.byteLength(stop) : 0;
    if (typeof stop === 'string' && bytes > 0 && bytes <= MAX_STOP_BYTES) return stop;
    const argument = Array.isArray(value) ? `${where}[${i}]` : where;
    throw new BadArgument({ argument, value: stop, expected: `a string of 1 to ${MAX_STOP_BYTES} bytes` });
  });
}

/** Knuth-Morris-Pratt for each stop string side by side; a byte that begins none costs one look while all rest. */
export function createStopMatcher(stops: readonly string[]): StopMatcher {
  const patterns = [...new Set(stops)].filter((stop) => stop !== '').map((stop) => Buffer.from(stop));
  const fallbacks = patterns.map(fallbackTable);
  const matched = new Int32Array(patterns.length);
  const begins = new Uint8Array(256);
  for (const pattern of patterns) begins[pattern[0] as number] = 1;
  let longest = 0;

  return {
    step(byte) {
      if (longest === 0 && begins[byte] === 0) return 0;
      let ended = 0;
      longest = 0;
      for (let i = 0; i < patterns.length; i++) {
        const pattern = patterns[i] as Buffer;
        const fallback = fallbacks[i] as Int32Array;
        let at = matched[i] as number;
        while (at > 0 && pattern[at] !== byte) at = fallback[at - 1] as number;
        if (pattern[at] === byte) at++;
        if (at === pattern.length) {
          if (at > ended) ended = at;
          at = fallback[at - 1] as number;
        }
        matched[i] = at;
        if (at > longest) longest = at;
      }
      return ended;
    },
    held: () => longest,
  };
}

/** For each length of a matched prefix the next shorter prefix that is also its suffix. */
function fallbackTable(pattern: Buffer): Int32Array {
  const table = new Int32Array(pattern.length);
  for (let i = 1, at = 0; i < pattern.length; i++) {
    while (at > 0 && pattern[at] !== pattern[i]) at = table[at - 1] as number;
    if (pattern[at] === pattern[i]) at++;
    table[i] = at;
  }
  return table;
}
