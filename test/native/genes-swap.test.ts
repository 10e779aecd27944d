import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeModel } from '../../src/native/addon.js';
import {
  addon,
  contextOptions,
  distance,
  FORMS,
  GENE,
  load,
  modelPath,
  type RowTuple,
  step,
  TINY,
} from './fixtures.js';
import { loadGene, randomGene, writeGene } from './random-gene.js';
import { writeRandomModel } from './random-model.js';

/** Steps of the whole suite; a long run takes ten times as many. */
const STEPS = process.env.TROUPE_SOAK ? 10_000 : 1_000;
const ROUNDS = process.env.TROUPE_SOAK ? 2_000 : 200;
/** A round in stacks makes and frees room for four genes. */
const ROUNDS_IN_STACKS = ROUNDS / 10;
/** JavaScript's own heap moves by megabytes. */
const HEAP = 16 << 20;
const LANES = 4;
const MELVILLE = modelPath('parlour-tiny-gene-melville-F16');

/** Makes a gene of 15 MB for the random model. */
const LARGE_RANK = 950;

const folder = mkdtempSync(join(tmpdir(), 'troupe-genes-swap-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(FORMS)('E3 changes, by %s', (form) => {
  let model: NativeModel;
  beforeAll(() => {
    model = load(TINY, form);
  });
  afterAll(() => model.close());

  it('E3 of the active set at every step leak nothing', { timeout: 120_000 }, () => {
    const ids = [GENE, MELVILLE].map((path) => loadGene(model, path).id);
    const context = model.context(contextOptions);
    const turn = (i: number) => {
      const rows = Array.from({ length: LANES }, (_, lane): RowTuple => {
        const genes = ids
          .filter((_, k) => ((i + lane) >> k) & 1)
          .map((gene) => ({ gene, scale: 1 / (1 + (i % 7)) }));
        context.setGenes(lane, genes);
        if (context.length(lane) === 64) context.clear(lane);
        return [4 + ((i + lane) % 200), lane, context.length(lane), 2];
      });
      expect(step(context, rows).status).toBe(0);
    };
    for (let i = 0; i < STEPS / 10; i++) turn(i);
    const before = process.memoryUsage.rss();
    for (let i = 0; i < STEPS; i++) turn(i);
    const grown = process.memoryUsage.rss() - before;
    context.close();
    for (const id of ids) model.unloadGene(id);
    expect(addon.live()).toEqual({ models: 1, contexts: 0, genes: 0 });
    // A phenotype kept at each step would take more.
    expect(grown).toBeLessThan(HEAP);
  });

  it('case-12 of sets and scales build no graph, once a gene has run', () => {
    const ids = [GENE, MELVILLE].map((path) => loadGene(model, path).id);
    const context = model.context(contextOptions);
    const phenotypes = [[], [0], [1], [0, 1]].map((genes) =>
      genes.map((i) => ({ gene: ids[i] as number, scale: 0.5 })),
    );
    const turn = (i: number) => {
      context.setGenes(0, phenotypes[i % 4] as never);
      context.setGenes(
        1,
        (phenotypes[(i + 1) % 4] as { gene: number; scale: number }[]).map((each) => ({ ...each, scale: i })),
      );
      const rows = [0, 1].map((lane): RowTuple => [5 + i, lane, i, 2]);
      expect(step(context, rows).status).toBe(0);
    };
    for (let i = 0; i < 4; i++) turn(i);
    const before = context.reused();
    for (let i = 4; i < 104; i++) turn(i);
    expect(context.reused() - before).toBe(100);
    context.close();
    for (const id of ids) model.unloadGene(id);
  });

  it('case-11 among 256 loaded genes, 16 of them active in a lane, run', () => {
    const bytes = readFileSync(GENE);
    const ids = Array.from(
      { length: 256 },
      (_, i) => model.loadGene(bytes, { path: GENE, hash: `copy ${i}` }).id,
    );
    const context = model.context(contextOptions);
    const under = (genes: readonly number[], scale: number) => {
      context.clear(0);
      context.setGenes(
        0,
        genes.map((gene) => ({ gene, scale })),
      );
      for (const token of [5, 44, 315]) step(context, [[token, 0, context.length(0), 2]]);
      return context.logits(0);
    };
    const one = under(ids.slice(255), 1);
    expect(distance(under(ids.slice(100, 116), 1 / 16), one)).toBeLessThan(0.01);
    expect(distance(under([], 1), one)).toBeGreaterThan(0.1);
    context.close();
    for (const id of ids) model.unloadGene(id);
    expect(addon.live().genes).toBe(0);
  });

  it('case-13 rounds of load, run and unload do not grow the process', { timeout: 240_000 }, () => {
    const path = join(folder, `${form}-large.gguf`);
    writeRandomModel(join(folder, `${form}-model.gguf`), 'dense');
    writeGene(path, 'dense', randomGene('dense', 7, LARGE_RANK));
    const bytes = readFileSync(path);
    const model = load(join(folder, `${form}-model.gguf`), form);
    const context = model.context(contextOptions);
    const round = (i: number) => {
      const { id, bytes: genes } = model.loadGene(bytes, { path, hash: `round ${i}` });
      expect(genes).toBeGreaterThan(15e6);
      context.setGenes(0, [{ gene: id, scale: 1 }]);
      context.clear(0);
      expect(step(context, [[5, 0, 0, 2]]).status).toBe(0);
      context.setGenes(0, []);
      model.unloadGene(id);
    };
    const rounds = form === 'place' ? ROUNDS : ROUNDS_IN_STACKS;
    for (let i = 0; i < rounds / 10; i++) round(i);
    const before = process.memoryUsage.rss();
    for (let i = 0; i < rounds; i++) round(rounds + i);
    // A hundredth of a gene kept in each round.
    expect(process.memoryUsage.rss() - before).toBeLessThan(Math.max(HEAP, (rounds * 15e6) / 100));
    context.close();
    model.close();
  });
});
