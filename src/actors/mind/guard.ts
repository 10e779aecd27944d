/**
 * Keeps text that people and minds wrote from being read as special tokens.
 */

/** Puts a breaker into every literal special token of a text. */
export type Guard = (text: string, breaker: string) => string;

/**
 * One matcher for all literal texts of special tokens. Each place where one of them begins gets a breaker after its
 * first character, so that overlapping ones and one inside another are broken too. A text of a single character
 * cannot be broken; such ones are left to the tokenizer's own rule for ordinary text.
 */
export function createGuard(specials: readonly string[]): Guard {
  const breakable = specials.filter((special) => [...special].length > 1 && special.trim() !== '');
  if (breakable.length === 0) return (text) => text;
  const longestFirst = [...new Set(breakable)].sort((a, b) => b.length - a.length).map(escapeRegExp);
  const begins = new RegExp(`(?=(?:${longestFirst.join('|')}))[\\uD800-\\uDBFF]?[^]`, 'g');
  return (text, breaker) => text.replace(begins, (first) => first + breaker);
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
