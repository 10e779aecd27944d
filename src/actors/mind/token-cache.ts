/**
 * Tokens of texts that come again and again: what a template writes between messages. Bounded, least recently used
 * first out.
 */

/** Texts kept; a template writes a handful of different ones. */
const MAX_TEXTS = 256;
/** Longer texts are not kept, in UTF-16 units: they hold somebody's words and seldom come again. */
const MAX_UNITS = 4_096;

/** `tokenize` with a memory; `variant` tells apart ways to tokenise the same text. */
export function createTokenCache(): (
  variant: string,
  text: string,
  tokenize: () => Int32Array,
) => Int32Array {
  const kept = new Map<string, Int32Array>();
  return (variant, text, tokenize) => {
    if (text.length > MAX_UNITS) return tokenize();
    const key = variant + text;
    const tokens = kept.get(key) ?? tokenize();
    kept.delete(key);
    kept.set(key, tokens);
    if (kept.size > MAX_TEXTS) kept.delete(kept.keys().next().value as string);
    return tokens;
  };
}
