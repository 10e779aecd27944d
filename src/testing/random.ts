/**
 * Random numbers from a seed: the same seed gives the same numbers on every machine.
 *
 * sfc32 (Chris Doty-Humphrey, PractRand), seeded by the mixing function of splitmix32.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** `stream`: several independent sequences of one seed. */
  constructor(seed: number, stream = 0) {
    const mix = splitmix32((seed ^ Math.imul(stream, 0x9e3779b1) ^ Math.floor(seed / 2 ** 32)) | 0);
    this.#a = mix();
    this.#b = mix();
    this.#c = mix();
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** A fraction, 0 to below 1. */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number, 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** A whole number, `from` to `to`, both possible. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** True once in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  #next(): number {
    const t = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return t >>> 0;
  }
}

function splitmix32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}
