import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted, duration, size } from '../../src/cli/figures.js';
import { columnsOf, cut, cutStart, harmless, oneLine, padded, wrapped } from '../../src/cli/text.js';

describe('U2 text for a terminal', () => {
  it('U2 no control character of a reply reaches the terminal, but line breaks and tabs', () => {
    expect(harmless('a\x1b[31mb\x07\n\tc\u202Ed\u009Be')).toBe('a[31mb\n\tcde');
    expect(oneLine(' a \n\n b\x1b ')).toBe('a b');
  });

  it('U2 wide characters take two columns, combining marks none', () => {
    expect([columnsOf('ab'), columnsOf('日本'), columnsOf('e\u0301'), columnsOf('🐋')]).toEqual([2, 4, 1, 2]);
  });

  it('U2 a cut text shows that it was cut, and on which side', () => {
    expect([cut('abcdef', 4), cut('abcd', 4), cutStart('abcdef', 4)]).toEqual(['abc…', 'abcd', '…def']);
    expect([cut('日本語', 4), cutStart('日本語', 4), cut('abc', 0)]).toEqual(['日…', '…語', '']);
  });

  it('U2 nothing is ever wider than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, columns) => {
        const line = oneLine(text);
        expect(columnsOf(cut(line, columns))).toBeLessThanOrEqual(columns);
        expect(columnsOf(cutStart(line, columns))).toBeLessThanOrEqual(columns);
        expect(columnsOf(padded(line, columns))).toBe(columns);
        for (const part of wrapped(text, columns + 1))
          expect(columnsOf(part)).toBeLessThanOrEqual(columns + 1);
      }),
    );
  });

  it('U2 words are wrapped whole', () => {
    expect(wrapped('the quick  brown\nfox', 9)).toEqual(['the quick', 'brown fox']);
    expect(wrapped('', 9)).toEqual([]);
  });

  it('U2 numbers read as people write them', () => {
    expect([counted(1, 'mind'), counted(1200, 'mind')]).toEqual(['1 mind', '1,200 minds']);
    expect([duration(850), duration(12_340), size(512), size(4_916_864)]).toEqual([
      '850 ms',
      '12.3 s',
      '512 B',
      '4.7 MiB',
    ]);
  });
});
