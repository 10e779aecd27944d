/** Genes that move between device, host and disk: what they do stays, and none is moved in use. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadArgument, GeneAbsent, GeneInUse } from '../../src/errors.js';
import type { AppliedGene, NativeModel, Tier } from '../../src/native/addon.js';
import { addon, contextOptions, FORMS, feed, GENE, ids, load, modelPath, TINY, thrown } from './fixtures.js';
import { hashOf, loadGene } from './random-gene.js';

describe.each(FORMS)('G3 a gene that moves, by %s', (form) => {
  let model: NativeModel;
  let gene: number;
  let tokens: Int32Array;
  beforeAll(() => {
    model = load(TINY, form);
    gene = loadGene(model, GENE).id;
    tokens = ids(model, 'Tell me about the sea.');
  });
  afterAll(() => {
    model.unloadGene(gene);
    model.close();
    expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
  });

  const tierOf = (id: number): Tier | undefined => model.genes().find((each) => each.id === id)?.tier;
  const reload = () => model.loadGene(readFileSync(GENE), { path: GENE, hash: hashOf(readFileSync(GENE)) });

  function logits(genes: readonly AppliedGene[]): Float32Array {
    const context = model.context(contextOptions);
    context.setGenes(0, genes);
    feed(context, 0, tokens);
    const answer = context.logits(0);
    context.close();
    return answer;
  }

  it('G3 does after it what it did before, bit for bit, from host and from disk', () => {
    const before = logits([{ gene, scale: 1 }]);
    expect(model.moveGene(gene, 'host')).toBe(true);
    expect(tierOf(gene)).toBe('host');
    expect(model.moveGene(gene, 'device')).toBe(true);
    expect(logits([{ gene, scale: 1 }])).toEqual(before);
    for (const from of ['device', 'host'] as const) {
      model.moveGene(gene, from);
      expect(model.moveGene(gene, 'disk')).toBe(true);
      expect(reload()).toMatchObject({ id: gene, tier: 'device' });
      expect(logits([{ gene, scale: 1 }])).toEqual(before);
    }
  });

  it('G3 says whether it moves between device and host in place', () => {
    const here = { id: gene, inPlace: form === 'place' };
    expect(model.genes()).toMatchObject([here]);
    model.moveGene(gene, 'disk');
    expect(reload()).toMatchObject(here);
  });

  it('G3 has one copy above disk, and none there', () => {
    for (const [to, copies] of [
      ['host', 1],
      ['disk', 0],
    ] as const) {
      model.moveGene(gene, to);
      expect(addon.live().genes).toBe(copies);
    }
    reload();
    expect(addon.live().genes).toBe(1);
  });

  it('G2 G3 leaves its memory ready for the next move if it was copied, and gives it back when it is dropped', () => {
    addon.pages.trim();
    model.moveGene(gene, 'host');
    const { bytes } = model.genes().find((each) => each.id === gene) as { bytes: number };
    const { free } = addon.pages.usage();
    if (form === 'place') expect(free).toBe(0);
    else expect(free).toBeGreaterThanOrEqual(bytes);
    model.moveGene(gene, 'device');
    expect(addon.pages.usage().free).toBeGreaterThanOrEqual(free);
    model.moveGene(gene, 'disk');
    expect(addon.pages.usage().free).toBe(0);
    reload();
  });

  it('G3 stays where it is when it is there already', () => {
    expect(model.moveGene(gene, 'device')).toBe(false);
    for (const tier of ['host', 'disk'] as const) {
      model.moveGene(gene, tier);
      expect(model.moveGene(gene, tier)).toBe(false);
    }
    reload();
  });

  it('G4 is absent to a lane while it is not on the device, and the lane runs what it ran', () => {
    const other = loadGene(model, modelPath('parlour-tiny-gene-melville-F16')).id;
    const context = model.context(contextOptions);
    context.setGenes(0, [{ gene: other, scale: 1 }]);
    for (const tier of ['host', 'disk'] as const) {
      model.moveGene(gene, tier);
      expect(thrown(() => context.setGenes(0, [{ gene, scale: 1 }]))).toBeInstanceOf(GeneAbsent);
    }
    feed(context, 0, tokens);
    const kept = context.logits(0);
    context.close();
    expect(kept).toEqual(logits([{ gene: other, scale: 1 }]));
    model.unloadGene(other);
    reload();
  });

  it('G3 is not moved while a lane runs it, and only the file brings it back from disk', () => {
    const context = model.context(contextOptions);
    context.setGenes(1, [{ gene, scale: 1 }]);
    for (const tier of ['host', 'disk'] as const) {
      expect(thrown(() => model.moveGene(gene, tier))).toBeInstanceOf(GeneInUse);
    }
    context.close();
    model.moveGene(gene, 'disk');
    for (const tier of ['host', 'device'] as const) {
      expect(thrown(() => model.moveGene(gene, tier))).toBeInstanceOf(GeneAbsent);
    }
    reload();
  });

  it('G3 is one that there is, and goes to a tier that there is', () => {
    expect(thrown(() => model.moveGene(gene + 1_000, 'host'))).toBeInstanceOf(GeneAbsent);
    expect(thrown(() => model.moveGene(gene, 'tape' as Tier))).toBeInstanceOf(BadArgument);
  });
});
