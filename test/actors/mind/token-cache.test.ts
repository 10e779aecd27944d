import { describe, expect, it } from 'vitest';
import { createTokenCache } from '../../../src/actors/mind/token-cache.js';

describe('E5 the tokens of what a template writes', () => {
  const counting = () => {
    const cached = createTokenCache();
    let tokenised = 0;
    const get = (variant: string, text: string) => cached(variant, text, () => Int32Array.of(++tokenised));
    return { get, tokenised: () => tokenised };
  };

  it('E5 are made once for each text and way to tokenise it', () => {
    const { get } = counting();
    expect([get('+', 'a'), get('^', 'a'), get('+', 'a'), get('+', 'b')].map(([token]) => token)).toEqual([
      1, 2, 1, 3,
    ]);
  });

  it('E5 are kept for a bounded number of texts, those least recently asked for go first', () => {
    const { get, tokenised } = counting();
    get('+', 'often');
    for (let i = 0; i < 1000; i++) {
      get('+', `text ${i}`);
      get('+', 'often');
    }
    expect(tokenised()).toBe(1001);
    get('+', 'text 999');
    expect(tokenised()).toBe(1001);
    get('+', 'text 0');
    expect(tokenised()).toBe(1002);
  });

  it('E5 are not kept for long texts', () => {
    const { get, tokenised } = counting();
    get('+', 'x'.repeat(5000));
    get('+', 'x'.repeat(5000));
    expect(tokenised()).toBe(2);
  });
});
