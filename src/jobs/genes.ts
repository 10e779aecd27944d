/**
 * Offload job: a gene read from its file, checked and laid out beside the weights; one moved between device, host and
 * disk; one freed.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GeneChanged, NotAGene } from '../errors.js';
import type { GeneInfo, NativeModel, Tier } from '../native/addon.js';
import { loadAddon } from '../native/load.js';
import { defineJob } from '../runtime/offload.js';

/** `model`: number of the loaded weights. */
export type GeneJob = { readonly model: number } & (
  | { readonly what: 'load'; readonly path: string }
  | { readonly what: 'unload'; readonly gene: number }
  | ({ readonly what: 'move' } & GeneMoveOrder)
  | { readonly what: 'list' }
);

export interface GeneMoveOrder {
  readonly gene: number;
  readonly to: Tier;
  /** Its file, which is read again, and checked, when the gene comes from disk or goes there. */
  readonly path: string;
  readonly hash: string;
}

/** What each job answers. */
export interface GeneJobAnswer {
  readonly load: GeneInfo;
  readonly unload: undefined;
  readonly move: { readonly moved: boolean; readonly tMs: number };
  readonly list: GeneInfo[];
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function load(model: NativeModel, path: string): Promise<GeneInfo> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new NotAGene({ path, reason: (error as Error).message });
  }
  return model.loadGene(bytes, { path, hash: hashOf(bytes) });
}

/** The content that a gene was loaded from. Throws GeneChanged when the file has another one. */
async function sameContent({ path, hash }: GeneMoveOrder): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new GeneChanged({ path, reason: (error as Error).message });
  }
  if (hashOf(bytes) !== hash) throw new GeneChanged({ path, reason: 'its content is another one now' });
  return bytes;
}

async function move(model: NativeModel, order: GeneMoveOrder): Promise<boolean> {
  const { gene, to, path, hash } = order;
  const onDisk = model.genes().some(({ id, tier }) => id === gene && tier === 'disk');
  if (to === 'disk' && !onDisk) await sameContent(order);
  if (to === 'disk' || !onDisk) return model.moveGene(gene, to);
  model.loadGene(await sameContent(order), { path, hash });
  return true;
}

export default defineJob(async (job: GeneJob): Promise<GeneJobAnswer[GeneJob['what']]> => {
  const model = loadAddon().attachModel(job.model);
  try {
    switch (job.what) {
      case 'load':
        return await load(model, job.path);
      case 'unload':
        return void model.unloadGene(job.gene);
      case 'move': {
        const began = performance.now();
        return { moved: await move(model, job), tMs: performance.now() - began };
      }
      case 'list':
        return model.genes();
    }
  } finally {
    model.close();
  }
});
