/**
 * G2: a gene that has lost its name is freed, though the engine has yet to end the run of a turn whose mind was lost.
 */
import { expect, test } from 'vitest';
import type { GeneWork } from '../../../src/actors/residency/gene-jobs.js';
import { residencyOver } from '../../../src/actors/residency/residency.js';
import { GeneInUse } from '../../../src/errors.js';
import { Genes } from '../../../src/genes.js';
import { Band } from '../../../src/runtime/message.js';
import type { Stage } from '../../../src/stage.js';
import { TestSystem } from '../../../src/testing/index.js';

interface Given {
  readonly stage: TestSystem;
  readonly genes: Genes;
  /** Tries to free a gene. */
  readonly tries: () => number;
}

/** Genes are loaded at once; one is freed with the try after `refusals` others. */
async function given(refusals: number): Promise<Given> {
  const stage = await TestSystem.start();
  const engine = (await stage.probe('engine')).id;
  let tries = 0;
  const work: GeneWork = {
    load: async () => ({ id: 1, hash: 'a', rank: 1, weights: 1, bytes: 1, inPlace: true, tier: 'device' }),
    unload: async () => {
      if (++tries <= refusals) throw new GeneInUse({ gene: 'gene 1', by: 'a lane' });
      return undefined;
    },
    move: async () => ({ moved: true, tMs: 0 }),
    moveInPlace: () => {},
    list: async () => [],
    close: async () => {},
  };
  const args = { default: [], slots: undefined, hostBytes: 0, model: 1, engine, broker: engine };
  const id = await stage.spawn({ name: 'residency', actor: residencyOver(() => work), args });
  const face = { system: stage.system, residency: id };
  const genes = new Genes(() => face as unknown as Stage);
  await stage.settle(genes.load('calm.gguf'));
  return { stage, genes, tries: () => tries };
}

test('G2 a gene whose last run is just ending is freed when it has ended', async () => {
  const { stage, genes, tries } = await given(3);
  await stage.settle(genes.unload('calm'));
  expect(tries()).toBe(4);
  expect(await stage.settle(genes.list())).toEqual([]);
});

test('G2 a gene whose last run does not end is not waited for without end, and keeps its name', async () => {
  const { stage, genes } = await given(Number.POSITIVE_INFINITY);
  await expect(stage.settle(genes.unload('calm'))).rejects.toThrow(GeneInUse);
  expect(stage.now).toBeLessThan(40_000);
  expect(await stage.settle(genes.list())).toMatchObject([{ name: 'calm' }]);
});

test('G2 a gene that was loaded and has no name when the residency starts again is freed, and no other', async () => {
  const freed: number[] = [];
  const info = (id: number) => ({
    id,
    hash: `${id}`,
    rank: 1,
    weights: 1,
    bytes: 1,
    inPlace: true,
    tier: 'device' as const,
  });
  const work: GeneWork = {
    load: async () => info(1),
    unload: async (gene) => void freed.push(gene) as undefined,
    move: async () => ({ moved: true, tMs: 0 }),
    moveInPlace: () => {},
    list: async () => [info(1), info(7)],
    close: async () => {},
  };
  const stage = await TestSystem.start();
  const engine = (await stage.probe('engine')).id;
  const args = { default: [], slots: undefined, hostBytes: 0, model: 1, engine, broker: engine };
  const id = await stage.spawn({ name: 'residency', actor: residencyOver(() => work), args });
  const genes = new Genes(() => ({ system: stage.system, residency: id }) as unknown as Stage);
  await stage.settle(genes.load('calm.gguf'));
  stage.system.tell(id, { type: 'pin', grant: 1, genes: null }, { band: Band.reserved });
  await stage.advance(1_000);
  expect(freed).toEqual([7]);
  expect(await stage.settle(genes.list())).toMatchObject([{ name: 'calm' }]);
});
