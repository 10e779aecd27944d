/**
 * Genes with random values for the random models, in 32-bit floats, and the same change merged into the weights: what
 * a gene does must equal what the merged model does.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { GeneInfo, NativeModel } from '../../src/native/addon.js';
import { type Tensor, type Value, writeGguf } from './gguf-writer.js';
import { ARCHITECTURE, type Kind, shapes } from './random-model.js';

export interface RandomGene {
  readonly weights: readonly string[];
  readonly tensors: readonly Tensor[];
  readonly alpha: number;
}

/** Weights that the graph multiplies; a table of embeddings and what a layer multiplies directly are none. */
export const reached = (kind: Kind): string[] =>
  Object.entries(shapes(kind))
    .filter(([name, shape]) => shape.length === 2 && !/token_embd|conv1d|ssm_a/.test(name))
    .map(([name]) => name);

export function randomGene(kind: Kind, seed: number, rank: number, weights = reached(kind)): RandomGene {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 0.6 * (state / 2 ** 32 - 0.5);
  };
  const all = shapes(kind);
  const matrix = (name: string, shape: number[]): Tensor => ({
    name,
    shape,
    data: Float32Array.from({ length: (shape[0] as number) * (shape[1] as number) }, random),
  });
  const tensors = weights.flatMap((name) => {
    const [taken, given] = all[name] as [number, number];
    return [matrix(`${name}.lora_a`, [taken, rank]), matrix(`${name}.lora_b`, [rank, given])];
  });
  return { weights, tensors, alpha: rank / 2 };
}

export const entries = (kind: Kind, alpha: number): Record<string, Value> => ({
  'general.architecture': { type: 'string', value: ARCHITECTURE[kind] },
  'general.type': { type: 'string', value: 'adapter' },
  'adapter.type': { type: 'string', value: 'lora' },
  'adapter.lora.alpha': { type: 'float32', value: alpha },
});

export const writeGene = (path: string, kind: Kind, gene: RandomGene): void =>
  writeGguf(path, entries(kind, gene.alpha), gene.tensors);

/** Adds the gene at a scale to the weight, if it changes it; for `writeRandomModel`. */
export function merge(gene: RandomGene, scale: number, tensor: Tensor): void {
  if (!gene.weights.includes(tensor.name)) return;
  const find = (suffix: string) => gene.tensors.find(({ name }) => name === tensor.name + suffix) as Tensor;
  const a = find('.lora_a');
  const b = find('.lora_b');
  const [taken, rank] = a.shape as [number, number];
  const given = b.shape[1] as number;
  for (let o = 0; o < given; o++) {
    for (let i = 0; i < taken; i++) {
      let sum = 0;
      for (let r = 0; r < rank; r++)
        sum += (b.data[o * rank + r] as number) * (a.data[r * taken + i] as number);
      tensor.data[o * taken + i] = (tensor.data[o * taken + i] as number) + (sum * scale * gene.alpha) / rank;
    }
  }
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export function loadGene(model: NativeModel, path: string): GeneInfo {
  const bytes = readFileSync(path);
  return model.loadGene(bytes, { path, hash: hashOf(bytes) });
}
