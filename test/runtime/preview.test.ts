import { describe, expect, test } from 'vitest';
import { PEEK_PREVIEW } from '../../src/runtime/defaults.js';
import { previewOf, sizeOf } from '../../src/runtime/preview.js';

describe('R6 previews', () => {
  test('R6 show the shape: names and numbers, of texts the length, of buffers the bytes', () => {
    const message = {
      type: 'turn',
      text: 'a secret',
      n: 5,
      big: 7n,
      tokens: new Int32Array(3),
      none: null,
      list: [1, 'x'],
    };
    expect(previewOf('turn', message)).toBe(
      'turn {text: <8 characters>, n: 5, big: 7, tokens: <12 bytes>, none: null, list: {1, <1 characters>}}',
    );
  });

  test('R6 show nothing that was written, wherever it is hidden', () => {
    const secret = 'zyx';
    const message = {
      type: 't',
      nested: { type: secret, deep: { deeper: { evenDeeper: { deepest: { end: secret } } } } },
      map: new Map([[secret, secret]]),
      set: new Set([secret]),
    };
    expect(previewOf('m', message)).not.toContain(secret);
  });

  test('R6 are cut, and made of a huge or circular message at once', () => {
    const circle: Record<string, unknown> = { type: 'c' };
    circle.self = circle;
    circle.list = Array.from({ length: 1_000_000 }, (_, i) => i);
    const begun = performance.now();
    expect(previewOf('m', circle)).toHaveLength(PEEK_PREVIEW + 3);
    expect(sizeOf(circle)).toBeGreaterThan(0);
    expect(performance.now() - begun).toBeLessThan(500);
  });

  test('R6 sizes: characters of texts, bytes of buffers, eight for each number', () => {
    expect(sizeOf({ type: 'abc', n: 1, b: new Uint8Array(100), list: [1, 2, 'x'] })).toBe(3 + 8 + 100 + 17);
  });
});
