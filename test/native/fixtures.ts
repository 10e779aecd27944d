/** What the native tests share: the small models, and rows and samplers written shortly. */
import { fileURLToPath } from 'node:url';
import type { ContextOptions, NativeContext, NativeModel, SamplerOptions } from '../../src/native/addon.js';
import { loadAddon } from '../../src/native/load.js';

const models = new URL('../../models/', import.meta.url);
export const modelPath = (name: string): string => fileURLToPath(new URL(`${name}.gguf`, models));
export const TINY = modelPath('parlour-tiny-F16');
export const PARLOUR = modelPath('parlour-5m-F16');
export const GENE = modelPath('parlour-tiny-gene-kjv-F16');

export const addon = loadAddon();

/** How genes add to products: by our own node, which is what a processor has, or by what every other backend has. */
export type GeneForm = 'place' | 'stacks';
export const FORMS: readonly GeneForm[] = ['place', 'stacks'];

export const load = (path: string, geneForm: GeneForm = 'place'): NativeModel =>
  addon.loadModel({ path, mmap: false, gpuLayers: 0, geneForm });

export const contextOptions: ContextOptions = {
  lanes: 4,
  cells: 1024,
  rows: 64,
  threads: 1,
  promptThreads: 1,
  flashAttention: true,
};

export const greedy: SamplerOptions = {
  seed: 0,
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  repeatPenalty: 1,
  repeatLast: 0,
};

export const NONE = new Int32Array();

export type RowTuple = readonly [token: number, lane: number, position: number, output: 0 | 1 | 2];

/** One step of these rows, as its status and what was sampled. */
export function step(context: NativeContext, rows: readonly RowTuple[]) {
  const sampled = new Int32Array(context.lanes);
  const status = context.step(Int32Array.from(rows.flat()), rows.length, sampled);
  const count = status === 0 ? rows.filter((row) => row[3] === 1).length : 0;
  return { status, sampled: [...sampled.subarray(0, count)] };
}

/** Decodes the tokens where the lane ends, in steps of at most `chunk` rows, and wants `last` of the last one. */
export function feed(
  context: NativeContext,
  lane: number,
  tokens: ArrayLike<number>,
  last: 0 | 1 | 2 = 2,
  chunk = context.rows,
) {
  const all = Array.from(tokens);
  const start = context.length(lane);
  let answer = { status: 0 as number, sampled: [] as number[] };
  for (let from = 0; from < all.length; from += chunk) {
    const rows = all
      .slice(from, from + chunk)
      .map((token, i): RowTuple => [token, lane, start + from + i, from + i === all.length - 1 ? last : 0]);
    answer = step(context, rows);
    if (answer.status !== 0) return answer;
  }
  return answer;
}

/** Produces `count` tokens from the lane's last sampled token on. */
export function produce(context: NativeContext, lane: number, first: number, count: number): number[] {
  const tokens = [first];
  while (tokens.length < count) {
    const { sampled } = feed(context, lane, [tokens[tokens.length - 1] as number], 1);
    tokens.push(sampled[0] as number);
  }
  return tokens;
}

export const ids = (model: NativeModel, text: string): Int32Array =>
  model.tokenize(text, { special: true, continues: false });

/** The largest absolute difference of two vectors. */
export function distance(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new Error(`${a.length} and ${b.length} logits`);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0);
}

/** The error that `call` throws; fails if it throws none. */
export function thrown(call: () => unknown): Error & { code?: string; detail?: Record<string, unknown> } {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
