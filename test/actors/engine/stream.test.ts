import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStream } from '../../../src/actors/engine/stream.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Pushes every part; answers the pieces (with what `end` gives as the last) and the stream. */
function play(stops: readonly string[], parts: readonly Uint8Array[]) {
  const stream = createStream(stops);
  const pieces: string[] = [];
  let stopped = false;
  for (const part of parts) {
    const pushed = stream.push(part);
    pieces.push(pushed.text);
    stopped = pushed.stopped;
  }
  pieces.push(stream.end());
  return { stream, pieces, stopped, text: pieces.join('') };
}

/** Cuts bytes at the given places. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((p) => p % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((from, i) => bytes.slice(from, ends[i] ?? bytes.length));
}

describe('E2 characters', () => {
  it('case-35 E2 a character split across tokens comes whole and only once', () => {
    const parts = [...utf8('a🐋b')].map((byte) => Uint8Array.of(byte));
    expect(play([], parts).pieces).toEqual(['a', '', '', '', '🐋', 'b', '']);
  });

  it('case-35 E2 an unfinished character at the end is held back and reported', () => {
    const whole = utf8('so é');
    const { stream, text } = play([], [whole.slice(0, -1)]);
    expect(text).toBe('so ');
    expect([...stream.tail]).toEqual([0xc3]);
    expect(stream.acceptedBytes).toBe(4);
  });

  it('E2 bytes that can never become a character become U+FFFD at once', () => {
    expect(play([], [Uint8Array.of(0x61, 0xff)]).pieces[0]).toBe('a\uFFFD');
    expect(play([], [Uint8Array.of(0xe2, 0x82), Uint8Array.of(0x41)]).pieces).toEqual(['', '\uFFFDA', '']);
    expect(play([], [Uint8Array.of(0xc1)]).pieces[0]).toBe('\uFFFD');
    expect(play([], [Uint8Array.of(0xed, 0xa0)]).pieces[0]).toBe('\uFFFD\uFFFD');
  });

  it('E2 a byte order mark is text like any other', () => {
    expect(play([], [utf8('\uFEFFa')]).text).toBe('\uFEFFa');
  });

  it('case-35 E2 any bytes, however they are cut, come out as one decoder reads them', () => {
    const byte = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0x82, 0x9f),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.array(byte, { maxLength: 12 }),
        fc.array(fc.nat()),
        (a, b, cuts) => {
          const bytes = Uint8Array.from([...a, ...b]);
          const { stream, text } = play([], cutAt(bytes, cuts));
          const tail = stream.tail;
          expect(text).toBe(decode(bytes.slice(0, bytes.length - tail.length)));
          expect([...tail]).toEqual([...bytes.slice(bytes.length - tail.length)]);
          if (tail.length > 0) expect(decode(tail)).toBe('\uFFFD');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('case-35 E2 every text, cut at any byte, comes out as it was with no tail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat()), (text, cuts) => {
        const { stream, pieces } = play([], cutAt(utf8(text), cuts));
        expect(pieces.join('')).toBe(text);
        expect(pieces.pop()).toBe('');
        expect(stream.tail.length).toBe(0);
      }),
    );
  });

  it('case-35 E2 two interleaved streams never mix', () => {
    const one = createStream([]);
    const two = createStream([]);
    const [a, b] = [utf8('é'), utf8('ü')];
    one.push(a.slice(0, 1));
    two.push(b.slice(0, 1));
    expect(one.push(a.slice(1)).text).toBe('é');
    expect(two.push(b.slice(1)).text).toBe('ü');
  });

  it('E2 the bytes pushed may be overwritten by their owner afterwards', () => {
    const stream = createStream([]);
    const shared = Uint8Array.of(0xc3);
    stream.push(shared);
    shared[0] = 0x41;
    expect(stream.push(Uint8Array.of(0xa9)).text).toBe('é');
  });
});

describe('E2 stop strings', () => {
  it('case-35 E2 a stop string across two tokens never leaks', () => {
    expect(play(['END'], [utf8('all E'), utf8('ND more')])).toMatchObject({
      pieces: ['all ', '', ''],
      stopped: true,
    });
  });

  it('E2 text before a stop in the same token is kept', () => {
    const { stream, text } = play(['\n'], [utf8('yes.\nno')]);
    expect(text).toBe('yes.');
    expect(stream.acceptedBytes).toBe(4);
  });

  it('E2 what only began like a stop is given out when it turns out to be none', () => {
    expect(play(['aab'], [utf8('a'), utf8('a'), utf8('a'), utf8('c')]).pieces).toEqual([
      '',
      '',
      'a',
      'aac',
      '',
    ]);
    expect(play(['END'], [utf8('the E')]).pieces).toEqual(['the ', 'E']);
  });

  it('E2 of two overlapping stops the one that ends first wins, and of those the longest', () => {
    expect(play(['abcd', 'bc'], [utf8('xabcd')]).text).toBe('xa');
    expect(play(['abc', 'c'], [utf8('xabc')]).text).toBe('x');
  });

  it('E2 a stop string of several bytes a character is found across a split character', () => {
    const bytes = utf8('ok né');
    expect(play(['né'], [bytes.slice(0, 5), bytes.slice(5)])).toMatchObject({ text: 'ok ', stopped: true });
  });

  it('E2 after a stop nothing comes any more', () => {
    const stream = createStream(['.']);
    stream.push(utf8('a.b'));
    expect(stream.push(utf8('c'))).toEqual({ text: '', stopped: true });
    expect(stream.end()).toBe('');
    expect(stream.acceptedBytes).toBe(1);
  });

  it('case-35 E2 stops are found and never leaked however the text is cut', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '🐋'), maxLength: 24 });
    const stops = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'b', 'é', '🐋'), minLength: 1, maxLength: 5 }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(letters, stops, fc.array(fc.nat()), (text, list, cuts) => {
        const result = play(list, cutAt(utf8(text), cuts));
        const expected = firstStop(text, list);
        expect(result.text).toBe(expected === undefined ? text : text.slice(0, expected));
        expect(result.stopped).toBe(expected !== undefined);
        expect(result.stream.acceptedBytes).toBe(utf8(result.text).length);
      }),
      { numRuns: 3000 },
    );
  });

  it('E2 no more is held back than may still become a stop', () => {
    const unit = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 16 }),
        fc.array(fc.string({ unit, minLength: 1, maxLength: 5 }), { maxLength: 3 }),
        (text, list) => {
          const stream = createStream(list);
          let out = '';
          for (let i = 0; i < text.length; i++) {
            const pushed = stream.push(utf8(text.charAt(i)));
            if (pushed.stopped) return;
            out += pushed.text;
            const heldBack = text.slice(out.length, i + 1);
            const could = list.some((stop) => stop.startsWith(heldBack) && stop !== heldBack);
            expect(heldBack === '' || could).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** Where the stop that ends first begins, by brute force; undefined when there is none. */
function firstStop(text: string, stops: readonly string[]): number | undefined {
  for (let end = 1; end <= text.length; end++) {
    const ending = stops.filter((stop) => stop !== '' && text.slice(0, end).endsWith(stop));
    if (ending.length > 0) return end - Math.max(...ending.map((stop) => stop.length));
  }
  return undefined;
}
