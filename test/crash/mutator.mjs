/**
 * Changes bytes at random, by a seed: what a torn disk leaves, and what somebody writes who knows the format.
 */

/** Numbers that lengths and offsets go wrong at. */
const EDGES = [
  0n,
  1n,
  7n,
  255n,
  2n ** 15n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 62n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const MOST_CHANGES = 6;

/** Numbers from 0 to 1 (xorshift, 32 bits). */
export function randomOf(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  // Neighbouring seeds begin alike.
  for (let i = 0; i < 8; i++) next();
  return next;
}

export const below = (random, bound) => Math.floor(random() * bound);
export const oneOf = (random, list) => list[below(random, list.length)];

/**
 * A copy with one or more changes; most of them among the first `dense` bytes, where the numbers are.
 *
 * @param {Uint8Array} bytes
 * @param {() => number} random
 * @param {number} dense
 */
export function mutated(bytes, random, dense) {
  let out = Buffer.from(bytes);
  for (let i = 1 + below(random, MOST_CHANGES); i > 0 && out.length > 0; i--)
    out = oneOf(random, CHANGES)(out, random, dense);
  return out;
}

const place = (out, random, dense) =>
  below(random, random() < 0.8 ? Math.min(dense, out.length) : out.length);

const CHANGES = [
  function flipBit(out, random, dense) {
    out[place(out, random, dense)] ^= 1 << below(random, 8);
    return out;
  },
  function setByte(out, random, dense) {
    out[place(out, random, dense)] = oneOf(random, [0, 1, 127, 128, 255, below(random, 256)]);
    return out;
  },
  function setWord(out, random, dense) {
    const width = oneOf(random, [2, 4, 8]);
    if (out.length < width) return out;
    const at = Math.min(place(out, random, dense), out.length - width);
    const edge = oneOf(random, EDGES) & (2n ** BigInt(8 * width) - 1n);
    for (let i = 0; i < width; i++) out[at + i] = Number((edge >> BigInt(8 * i)) & 255n);
    return out;
  },
  function addToWord(out, random, dense) {
    if (out.length < 4) return out;
    const at = Math.min(place(out, random, dense), out.length - 4);
    out.writeUInt32LE((out.readUInt32LE(at) + oneOf(random, [1, -1, 4, -4, 1000])) >>> 0, at);
    return out;
  },
  function cutShort(out, random, dense) {
    return random() < 0.3 ? out.subarray(0, place(out, random, dense)) : out;
  },
  function takeOut(out, random, dense) {
    const at = place(out, random, dense);
    return Buffer.concat([out.subarray(0, at), out.subarray(at + 1 + below(random, 64))]);
  },
  function repeat(out, random, dense) {
    const at = place(out, random, dense);
    const part = out.subarray(at, at + 1 + below(random, 64));
    return Buffer.concat([out.subarray(0, at), part, out.subarray(at)]);
  },
  function moveOver(out, random, dense) {
    const from = place(out, random, dense);
    out.copy(out, place(out, random, dense), from, from + 1 + below(random, 64));
    return out;
  },
];
