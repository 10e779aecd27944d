/**
 * Private characters that mark, inside a template's input, what people and minds wrote, to find it in the output.
 *
 * A template is a program: it trims, cuts, repeats. Each message's text goes in between an opening and a closing
 * character of its own, taken from those that occur nowhere in the conversation, so the output itself tells which
 * text came from where. One character each: a marker can be lost, but never be cut in half.
 */
import { TemplateFailed } from '../../errors.js';

/** Noncharacters and the private use area: no text needs them, no tokenizer and no `upper` filter knows them. */
const MARKER_RANGES = [
  [0xfdd0, 0xfdef],
  [0xe000, 0xf8ff],
] as const;
const MARKER_PATTERN = /[\uFDD0-\uFDEF\uE000-\uF8FF]/g;
/** Whitespace that nobody types and every trim takes away: stands in for the whitespace around a message. */
const SPACES = '\u205F\u2005\u2006\u2004\u2008\u1680';
/** Pairs made at most; later messages use them again, far enough apart to be told by their order. */
const MAX_PAIRS = 1024;

export interface Mark {
  readonly kind: 'open' | 'close' | 'break';
  /** The message, modulo the number of pairs; -1 for a break. */
  readonly message: number;
}

export interface Markers {
  /** Put inside the literal text of a special token, it keeps the text from ever being read as that token. */
  readonly breaker: string;
  /** Whitespace that no message and not the template contains. */
  readonly space: string;
  readonly pairs: number;
  open(message: number): string;
  close(message: number): string;
  /** What a UTF-16 code unit of the output marks, if anything. */
  read(unit: number): Mark | undefined;
}

/** Chooses markers that occur in none of `texts`, for so many messages. Throws TemplateFailed when none are left. */
export function chooseMarkers(messages: number, texts: readonly string[]): Markers {
  const used = new Set<number>();
  for (const text of texts) {
    for (const found of text.match(MARKER_PATTERN) ?? []) used.add(found.charCodeAt(0));
  }
  const wanted = 1 + 2 * Math.min(messages, MAX_PAIRS);
  const free: number[] = [];
  for (const [first, last] of MARKER_RANGES) {
    for (let unit = first; unit <= last && free.length < wanted; unit++) if (!used.has(unit)) free.push(unit);
  }
  const space = [...SPACES].find((candidate) => texts.every((text) => !text.includes(candidate)));
  const pairs = (free.length - 1) >> 1;
  if (space === undefined || (pairs < messages && pairs < 2)) {
    throw new TemplateFailed({ reason: 'the conversation uses every private character there is' });
  }
  const marks = new Map<number, Mark>([[free[0] as number, { kind: 'break', message: -1 }]]);
  for (let pair = 0; pair < pairs; pair++) {
    marks.set(free[1 + 2 * pair] as number, { kind: 'open', message: pair });
    marks.set(free[2 + 2 * pair] as number, { kind: 'close', message: pair });
  }
  return {
    breaker: String.fromCharCode(free[0] as number),
    space,
    pairs,
    open: (message) => String.fromCharCode(free[1 + 2 * (message % pairs)] as number),
    close: (message) => String.fromCharCode(free[2 + 2 * (message % pairs)] as number),
    read: (unit) => (unit < 0xe000 ? undefined : marks.get(unit)),
  };
}
