/**
 * Bytes to text for short pieces: whole characters only, and where a piece ends in the middle of one.
 */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Below this many bytes a string is built faster in JavaScript than by a call into the decoder (measured). */
const SHORT_BYTES = 12;

/** Text of `bytes[0, end)`. Bytes that are no character, an unfinished one at `end` too, become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array, end: number): string {
  if (end > SHORT_BYTES) return decoder.decode(bytes.subarray(0, end));
  let text = '';
  for (let i = 0; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte > 0x7f) return text + decoder.decode(bytes.subarray(i, end));
    text += String.fromCharCode(byte);
  }
  return text;
}

/** How many bytes at the end of `bytes[0, end)` begin a character that more bytes can finish: 0 to 3. */
export function unfinishedBytes(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return canBecomeCharacter(bytes, end - back, back) ? back : 0;
  }
  return 0;
}

/** `have` bytes from `at`, the first one a lead byte, the others continuation bytes: a proper prefix of a character? */
function canBecomeCharacter(bytes: Uint8Array, at: number, have: number): boolean {
  const lead = bytes[at] as number;
  const need = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (have >= need) return false;
  if (have === 1) return true;
  // Overlong forms, surrogates and code points above U+10FFFF show in the second byte.
  const second = bytes[at + 1] as number;
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}
