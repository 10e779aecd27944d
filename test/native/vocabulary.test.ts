import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeModel } from '../../src/native/addon.js';
import { load, PARLOUR } from './fixtures.js';

let model: NativeModel;
beforeAll(() => {
  model = load(PARLOUR);
});
afterAll(() => model.close());

const textOf = (tokens: Int32Array, special = false) =>
  new TextDecoder().decode(model.detokenize(tokens, special));

describe('E2 a vocabulary', () => {
  it.each([
    'Hello, world!',
    '  two spaces   three\ttab\n\nlines\r\n',
    'naïve café — “quotes” … ½',
    'Привет, мир! 你好，世界 こんにちは',
    '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301',
    'nul \0 inside',
    "don't won't 12345 3.14159 x=y+z;",
    'a'.repeat(5000),
  ])('E2 gives back the text %j', (text) => {
    for (const continues of [false, true]) {
      expect(textOf(model.tokenize(text, { special: false, continues }))).toBe(text);
    }
  });

  it('E2 makes no tokens of no text', () => {
    expect(model.tokenize('', { special: true, continues: false })).toEqual(new Int32Array());
    expect(model.detokenize(new Int32Array(), true)).toEqual(new Uint8Array());
  });

  it('E2 parses the text of a special token only when it is asked to', () => {
    const [token] = model.tokenize('<|im_end|>', { special: true, continues: false });
    expect(model.ends()).toContain(token);
    const plain = model.tokenize('<|im_end|>', { special: false, continues: false });
    expect(plain.length).toBeGreaterThan(1);
    expect(textOf(plain)).toBe('<|im_end|>');
    expect(model.specials()).toContain('<|im_end|>');
  });

  it('E2 shows special tokens only when it is asked to', () => {
    const tokens = model.tokenize('a<|im_start|>b', { special: true, continues: false });
    expect(textOf(tokens, false)).toBe('ab');
    expect(textOf(tokens, true)).toBe('a<|im_start|>b');
  });

  it('E2 adds neither bos nor eos', () => {
    const tokens = model.tokenize('word', { special: true, continues: false });
    expect([...tokens]).not.toContain(model.info.bos);
    expect([...tokens]).not.toContain(model.info.eos);
  });

  it('E2 has the bytes of each token as detokenize gives them', () => {
    const { bytes, offsets } = model.pieces();
    expect(offsets.length).toBe(model.info.vocabulary + 1);
    for (let token = 0; token < model.info.vocabulary; token += 7) {
      const piece = bytes.subarray(offsets[token], offsets[token + 1]);
      expect(piece).toEqual(model.detokenize(Int32Array.of(token), false));
    }
    for (const end of model.ends()) expect(offsets[end + 1]).toBe(offsets[end]);
  });

  it('E2 replaces half a surrogate pair', () => {
    expect(textOf(model.tokenize('a\ud83d!', { special: false, continues: false }))).toBe('a\ufffd!');
  });
});
