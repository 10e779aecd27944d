import { describe, expect, it } from 'vitest';
import { checkFingerprint } from '../../src/pages/fingerprint.js';

describe('fingerprints of contexts', () => {
  it('P3 that are equal fit', () => {
    expect(() => checkFingerprint('model=a;keys=f16', 'model=a;keys=f16')).not.toThrow();
  });

  it.each([
    ['model=a;keys=f16', 'model=a;keys=q8_0', { field: 'keys', page: 'f16', here: 'q8_0' }],
    ['model=a', 'model=a;flash=on', { field: 'flash', page: '', here: 'on' }],
    ['model=a;old=1', 'model=a', { field: 'fingerprint', page: 'model=a;old=1', here: 'model=a' }],
    ['', 'model=a', { field: 'model', page: '', here: 'a' }],
  ])('P3 %j does not fit %j, and the first difference is named', (page, here, detail) => {
    expect(() => checkFingerprint(page, here)).toThrow(
      expect.objectContaining({ code: 'PageMismatch', detail }),
    );
  });
});
