import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/actors/mind/transcript.js';
import { decodeTranscript, encodeTranscript } from '../../../src/actors/mind/transcript-bytes.js';

const exchanges: Exchange[] = [
  {
    index: 0,
    user: { role: 'user', content: 'Häßlich?', tokens: Int32Array.of(1, 2), tokensOf: 'Häßlich' },
    reply: { role: 'assistant', content: '', brokenOff: true },
  },
  {
    index: 1,
    user: { role: 'user', content: 'x' },
    reply: { role: 'assistant', content: 'y', tokens: Int32Array.of(7), tokensOf: 'y', brokenOff: false },
  },
];

describe('a transcript in a file', () => {
  it('P5 comes back as it was, tokens too', () => {
    expect(decodeTranscript(encodeTranscript(exchanges))).toEqual(exchanges);
    expect(decodeTranscript(encodeTranscript([]))).toEqual([]);
  });

  it.each([
    '',
    'null',
    '{"version":2,"said":[]}',
    '{"version":1,"said":{}}',
    '{"version":1,"said":[null]}',
    '{"version":1,"said":[{"user":{"content":"x"},"reply":{"content":"y"}}]}',
    '{"version":1,"said":[{"user":{"content":1},"reply":{"content":"y","brokenOff":false}}]}',
    '{"version":1,"said":[{"user":{"content":"x","tokens":[-1],"tokensOf":"x"},"reply":{"content":"y","brokenOff":false}}]}',
  ])('P6 is refused where it is none: %s', (text) => {
    expect(() => decodeTranscript(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'PageCorrupt' }),
    );
  });
});
