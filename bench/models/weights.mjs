/**
 * Random weights as tensor bytes. The same seed gives the same bytes on any machine: integer arithmetic, and
 * products of doubles alone.
 */

/** Of the sum of four uniform bytes. */
const MEAN = 510;
const DEVIATION = Math.sqrt((4 * (256 ** 2 - 1)) / 12);
const BLOCK = 32;

/** Values close to a normal distribution with deviation 1: the sum of the four bytes of a random word. */
export function normals(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    word ^= word >>> 14;
    return ((word & 255) + ((word >>> 8) & 255) + ((word >>> 16) & 255) + (word >>> 24) - MEAN) / DEVIATION;
  };
}

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** IEEE 754 half precision of `value`, rounded to nearest; values beyond its range are not expected. */
export function half(value) {
  single[0] = value;
  const sign = (bits[0] >>> 16) & 0x8000;
  const magnitude = bits[0] & 0x7fffffff;
  if (magnitude < 0x38800000) return sign | Math.round(Math.abs(single[0]) * 2 ** 24);
  return sign | ((magnitude - 0x38000000 + 0x1000) >>> 13);
}

/** `count` values of deviation `scale` in Q8_0: blocks of a half-precision scale and 32 signed bytes. */
export function q8_0(next, count, scale) {
  const bytes = Buffer.alloc((count / BLOCK) * (BLOCK + 2));
  const values = new Float64Array(BLOCK);
  for (let at = 0; at < bytes.length; at += BLOCK + 2) {
    let largest = 0;
    for (let i = 0; i < BLOCK; i++) {
      values[i] = next() * scale;
      largest = Math.max(largest, Math.abs(values[i]));
    }
    bytes.writeUInt16LE(half(largest / 127), at);
    const inverse = largest === 0 ? 0 : 127 / largest;
    for (let i = 0; i < BLOCK; i++) bytes[at + 2 + i] = Math.round(values[i] * inverse);
  }
  return bytes;
}

/**
 * The same in Q4_0: blocks of a half-precision scale and 32 values of four bits, the first 16 in the low halves of the bytes.
 * The value of largest magnitude becomes -8 times the scale.
 */
export function q4_0(next, count, scale) {
  const bytes = Buffer.alloc((count / BLOCK) * (BLOCK / 2 + 2));
  const values = new Float64Array(BLOCK);
  for (let at = 0; at < bytes.length; at += BLOCK / 2 + 2) {
    let largest = 0;
    for (let i = 0; i < BLOCK; i++) {
      values[i] = next() * scale;
      if (Math.abs(values[i]) > Math.abs(largest)) largest = values[i];
    }
    bytes.writeUInt16LE(half(-largest / 8), at);
    const inverse = largest === 0 ? 0 : -8 / largest;
    const four = (value) => Math.min(15, Math.round(value * inverse) + 8);
    for (let i = 0; i < BLOCK / 2; i++) {
      bytes[at + 2 + i] = four(values[i]) | (four(values[i + BLOCK / 2]) << 4);
    }
  }
  return bytes;
}

export function f16(next, count, scale) {
  const bytes = Buffer.alloc(2 * count);
  for (let i = 0; i < count; i++) bytes.writeUInt16LE(half(next() * scale), 2 * i);
  return bytes;
}

export const ones = (count) => Buffer.from(new Float32Array(count).fill(1).buffer);
