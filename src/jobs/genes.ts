/**
 * Offload job: a gene read from its file, checked and laid out beside the weights; one moved between device, host and
 * disk; one freed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
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
  /** Its files, of which one is read again, and checked, when the gene comes from disk or goes there. */
  readonly paths: readonly string[];
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
    const { code, message } = error as NodeJS.ErrnoException;
    throw new NotAGene({ path, reason: code === 'ENOENT' ? 'there is no such file' : message });
  }
  return model.loadGene(bytes, { path, hash: hashOf(bytes) });
}

/** The first of a gene's files that still has the content which was loaded, as `read` has it. Throws GeneChanged. */
async function sameContent<T extends { readonly hash: string }>(
  { paths, hash }: GeneMoveOrder,
  read: (path: string) => Promise<T>,
): Promise<T & { readonly path: string }> {
  const reasons: string[] = [];
  for (const path of paths) {
    try {
      const file = await read(path);
      if (file.hash === hash) return { ...file, path };
      reasons.push('its content is another one now');
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new GeneChanged({ path: paths.join(' or '), reason: reasons.join('; ') });
}

async function whole(path: string): Promise<{ readonly bytes: Uint8Array; readonly hash: string }> {
  const bytes = await readFile(path);
  return { bytes, hash: hashOf(bytes) };
}

/** Read piece by piece: when memory is short, its file would not fit beside the gene. */
async function hashed(path: string): Promise<{ readonly hash: string }> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  return { hash: hash.digest('hex') };
}

async function move(model: NativeModel, order: GeneMoveOrder): Promise<boolean> {
  const { gene, to, hash } = order;
  const onDisk = model.genes().some(({ id, tier }) => id === gene && tier === 'disk');
  if (to === 'disk' && !onDisk) await sameContent(order, hashed);
  if (to === 'disk' || !onDisk) return model.moveGene(gene, to);
  const { bytes, path } = await sameContent(order, whole);
  model.loadGene(bytes, { path, hash });
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
