/** The sampler once more, as plain as it can be: the whole vocabulary sorted, every rule on its own line. */
import type { SamplerOptions } from '../../src/native/addon.js';

const MASK = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;

function mix(value: bigint): bigint {
  let z = value & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
}

/** Uniform in [0, 1) from the seed and the number of tokens produced. */
export function uniform(seed: number, index: number): number {
  const key = mix(BigInt(seed) + GOLDEN);
  return Number(mix(key + BigInt(index + 1) * GOLDEN) >> 11n) * 2 ** -53;
}

interface Candidate {
  token: number;
  logit: number;
}

export function penalised(
  logits: Float32Array,
  produced: readonly number[],
  options: SamplerOptions,
): Float32Array {
  const window =
    options.repeatLast < 0 ? produced : produced.slice(Math.max(0, produced.length - options.repeatLast));
  const changed = logits.slice();
  if (options.repeatLast === 0) return changed;
  for (const token of new Set(window)) {
    const logit = logits[token] as number;
    changed[token] = logit > 0 ? logit / options.repeatPenalty : logit * options.repeatPenalty;
  }
  return changed;
}

export function kept(logits: Float32Array, options: SamplerOptions): Candidate[] {
  let left = Array.from(logits, (logit, token) => ({ token, logit }));
  left.sort((a, b) => b.logit - a.logit || a.token - b.token);
  if (options.topK > 0) left = left.slice(0, options.topK);
  const high = (left[0] as Candidate).logit;
  const weights = left.map(({ logit }) => Math.exp(logit - high));
  if (options.topP < 1) {
    const enough = options.topP * weights.reduce((sum, weight) => sum + weight, 0);
    let sum = 0;
    let count = 0;
    while (count < left.length && (count === 0 || sum < enough)) sum += weights[count++] as number;
    left = left.slice(0, count);
  }
  return left.filter((_, i) => (weights[i] as number) >= options.minP);
}

/** `nudge` is added to the draw, to see what a rounding error could have chosen. */
export function choose(
  logits: Float32Array,
  produced: readonly number[],
  options: SamplerOptions,
  nudge = 0,
): number {
  const candidates = kept(penalised(logits, produced, options), options);
  if (options.temperature === 0) return (candidates[0] as Candidate).token;
  const high = (candidates[0] as Candidate).logit;
  const weights = candidates.map(({ logit }) => Math.exp((logit - high) / options.temperature));
  const draw = Math.max(0, uniform(options.seed, produced.length) + nudge);
  const target = draw * weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  for (const [i, weight] of weights.entries()) {
    sum += weight;
    if (sum > target) return (candidates[i] as Candidate).token;
  }
  return (candidates[candidates.length - 1] as Candidate).token;
}
