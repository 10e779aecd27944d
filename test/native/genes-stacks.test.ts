/** Genes in stacks, as weights outside of host memory have them: their groups, and what a graph can hold of them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument, NativeFailure } from '../../src/errors.js';
import type { AppliedGene, NativeContext, NativeModel } from '../../src/native/addon.js';
import { addon, contextOptions, distance, load, type RowTuple, step, thrown } from './fixtures.js';
import { loadGene, randomGene, reached, writeGene } from './random-gene.js';
import { writeRandomModel } from './random-model.js';

/** Genes of one lane, and groups of genes that all lanes run at once. */
const MOST_GENES = 64;
const MOST_GROUPS = 16;
const LANES = 4;

const folder = mkdtempSync(join(tmpdir(), 'troupe-genes-stacks-'));
afterAll(() => rmSync(folder, { recursive: true }));

let model: NativeModel;
beforeAll(() => {
  writeRandomModel(join(folder, 'model.gguf'), 'dense');
  model = load(join(folder, 'model.gguf'), 'stacks');
});
afterAll(() => {
  model.close();
  expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
});

function gene(seed: number, rank: number, weights = reached('dense')): number {
  const path = join(folder, `gene-${seed}.gguf`);
  writeGene(path, 'dense', randomGene('dense', seed, rank, weights));
  return loadGene(model, path).id;
}
const at = (id: number, scale = 0.5): AppliedGene => ({ gene: id, scale });

/** Logits of each lane after a few steps of all lanes, from their beginning. */
function run(context: NativeContext, phenotypes: readonly (readonly AppliedGene[])[]): Float32Array[] {
  phenotypes.forEach((genes, lane) => {
    context.clear(lane);
    context.setGenes(lane, genes);
  });
  for (let position = 0; position < 4; position++) {
    const rows = phenotypes.map((_, lane): RowTuple => [5 + position, lane, position, 2]);
    expect(step(context, rows).status).toBe(0);
  }
  return phenotypes.map((_, lane) => context.logits(lane));
}
const all = (genes: readonly AppliedGene[]) => Array.from({ length: LANES }, () => genes);

describe('E3 genes in stacks', () => {
  it('E3 of as many ranks as there are lanes, each row is as if all ran its own, bit for bit', () => {
    const ids = [3, 8, 40, 130].map((rank, i) => gene(10 + i, rank));
    const context = model.context(contextOptions);
    const mixed = run(
      context,
      ids.map((id) => [at(id)]),
    );
    ids.forEach((id, lane) => {
      expect(mixed[lane]).toEqual(run(context, all([at(id)]))[lane]);
    });
    context.close();
    for (const id of ids) model.unloadGene(id);
  });

  it.each([1, 16, MOST_GENES])('E3 %i in one lane are the sum of them', (count) => {
    const path = join(folder, 'copies.gguf');
    writeGene(path, 'dense', randomGene('dense', 20, 8));
    const bytes = readFileSync(path);
    const ids = Array.from(
      { length: count },
      (_, i) => model.loadGene(bytes, { path, hash: `copy ${i}` }).id,
    );
    const context = model.context(contextOptions);
    const [one, sum, none] = [[at(ids[0] as number)], ids.map((id) => at(id, 0.5 / count)), []].map(
      (genes) => run(context, [genes, [], [], []])[0] as Float32Array,
    ) as [Float32Array, Float32Array, Float32Array];
    expect(distance(sum, one)).toBeLessThan(1e-2 * distance(none, one));
    context.close();
    for (const id of ids) model.unloadGene(id);
  });

  it('E3 more genes of a lane than a graph has nodes for are refused, and the lane runs what it ran', () => {
    const path = join(folder, 'many.gguf');
    writeGene(path, 'dense', randomGene('dense', 21, 8));
    const bytes = readFileSync(path);
    const ids = Array.from(
      { length: MOST_GENES + 1 },
      (_, i) => model.loadGene(bytes, { path, hash: `one of many ${i}` }).id,
    );
    const context = model.context(contextOptions);
    context.setGenes(0, [at(ids[0] as number)]);
    expect(
      thrown(() =>
        context.setGenes(
          0,
          ids.map((id) => at(id)),
        ),
      ),
    ).toBeInstanceOf(BadArgument);
    for (const id of ids.slice(1)) model.unloadGene(id);
    expect(thrown(() => model.unloadGene(ids[0] as number)).code).toBe('GeneInUse');
    context.close();
    model.unloadGene(ids[0] as number);
  });

  it('E3 lanes together run genes of a bounded number of groups, and a group less is room for another', () => {
    const weights = reached('dense');
    const ids = Array.from({ length: MOST_GROUPS + 1 }, (_, i) => gene(30 + i, 1, weights.slice(i, i + 1)));
    const context = model.context(contextOptions);
    context.setGenes(
      0,
      ids.slice(1).map((id) => at(id)),
    );
    expect(thrown(() => context.setGenes(1, [at(ids[0] as number)]))).toBeInstanceOf(NativeFailure);
    expect(step(context, [[5, 0, 0, 2]]).status).toBe(0);
    context.setGenes(
      0,
      ids.slice(2).map((id) => at(id)),
    );
    context.setGenes(1, [at(ids[0] as number)]);
    expect(
      step(context, [
        [5, 0, 1, 2],
        [5, 1, 0, 2],
      ]).status,
    ).toBe(0);
    context.close();
    for (const id of ids) model.unloadGene(id);
  });

  it('E3 a group that goes while a graph knows it is no longer computed with', () => {
    const [kept, gone] = [gene(50, 8), gene(51, 64)];
    const context = model.context(contextOptions);
    const before = run(context, [[at(kept)], [], [], []]);
    const both = run(context, [[at(kept)], [at(gone)], [], []]);
    expect(both[0]).toEqual(before[0]);
    context.setGenes(1, []);
    model.unloadGene(gone);
    expect(run(context, [[at(kept)], [], [], []])).toEqual(before);
    context.close();
    model.unloadGene(kept);
  });

  it('E3 a gene that a file scales by other numbers for other weights does what it does by our own node', () => {
    const weights = reached('dense');
    const [low, high] = [
      randomGene('dense', 60, 4, weights.slice(0, 3)),
      randomGene('dense', 61, 12, weights.slice(3)),
    ];
    const path = join(folder, 'uneven.gguf');
    writeGene(path, 'dense', { ...low, weights, tensors: [...low.tensors, ...high.tensors] });
    const own = load(join(folder, 'model.gguf'));
    const [ours, stacked] = [own, model].map((each) => {
      const { id } = loadGene(each, path);
      const context = each.context(contextOptions);
      const logits = run(context, all([at(id)]));
      context.close();
      each.unloadGene(id);
      return logits[0] as Float32Array;
    }) as [Float32Array, Float32Array];
    own.close();
    expect(distance(stacked, ours)).toBeLessThan(
      1e-3 * ours.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    );
  });

  it('G1 a form that there is not is refused', () => {
    const options = { path: join(folder, 'model.gguf'), mmap: false, gpuLayers: 0, geneForm: 'both' };
    expect(thrown(() => addon.loadModel(options as never))).toBeInstanceOf(BadArgument);
  });
});
