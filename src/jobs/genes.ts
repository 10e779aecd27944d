/**
 * Offload job: a gene read from its file, checked and laid out beside the weights; or one freed.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { NotAGene } from '../errors.js';
import type { GeneInfo } from '../native/addon.js';
import { loadAddon } from '../native/load.js';
import { defineJob } from '../runtime/offload.js';

export interface GeneFile {
  /** Number of the loaded weights. */
  readonly model: number;
  readonly path: string;
}

export interface UnloadGene {
  readonly model: number;
  readonly gene: number;
}

export type GeneJob = ({ readonly what: 'load' } & GeneFile) | ({ readonly what: 'unload' } & UnloadGene);

async function contentOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new NotAGene({ path, reason: (error as Error).message });
  }
}

export default defineJob(async (job: GeneJob): Promise<GeneInfo | undefined> => {
  const bytes = job.what === 'load' ? await contentOf(job.path) : undefined;
  const model = loadAddon().attachModel(job.model);
  try {
    if (job.what === 'unload') {
      model.unloadGene(job.gene);
      return undefined;
    }
    const hash = createHash('sha256')
      .update(bytes as Uint8Array)
      .digest('hex');
    return model.loadGene(bytes as Uint8Array, { path: job.path, hash });
  } finally {
    model.close();
  }
});
