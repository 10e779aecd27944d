/**
 * What a side has done so far: a sample of (time, tokens, processor time) whenever every sequence has one more token.
 *
 * Sequences decode in one batch, so the moment when the last of them has its token is the end of a step: between
 * two samples lie whole steps, and tokens and processor time belong together.
 */
import { clockMs, ownProcessorTimeUs } from './processor.mjs';

const ROOM = 1 << 16;

export class Tally {
  #counts;
  #rounds = 0;
  #samples = new Float64Array(3 * ROOM);
  #taken = 0;
  #processorTimeUs;

  constructor(sequences, processorTimeUs = ownProcessorTimeUs) {
    this.#counts = new Array(sequences).fill(0);
    this.#processorTimeUs = processorTimeUs;
  }

  /** `sequence` has `tokens` more. */
  add(sequence, tokens = 1) {
    this.#counts[sequence] += tokens;
    const rounds = Math.min(...this.#counts);
    if (rounds === this.#rounds) return;
    this.#rounds = rounds;
    if (this.#taken === ROOM) throw new Error(`a side took over ${ROOM} samples`);
    this.#samples[3 * this.#taken] = clockMs();
    this.#samples[3 * this.#taken + 1] = rounds * this.#counts.length;
    this.#samples[3 * this.#taken + 2] = this.#processorTimeUs();
    this.#taken++;
  }

  count(sequence) {
    return this.#counts[sequence];
  }

  get tokens() {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** `[timeMs, tokens, processorUs]` each. */
  samples() {
    return Array.from({ length: this.#taken }, (_, i) =>
      Array.from(this.#samples.subarray(3 * i, 3 * i + 3)),
    );
  }
}
