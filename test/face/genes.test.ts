/** Genes through the public face: minds with different ones in one batch, and what may not be taken from them. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BadArgument,
  GeneInUse,
  GeneNameTaken,
  GeneUnfit,
  NoSuchGene,
  NotAGene,
  type Troupe,
} from '../../src/index.js';
import { clear, sharedTroupe } from './shared.js';
import {
  actorOf,
  begun,
  busy,
  circling,
  ENDLESS,
  folder,
  geneFile,
  greedy,
  startTroupe,
  TINY,
  until,
} from './stage.js';

const KJV = geneFile('kjv');
const MELVILLE = geneFile('melville');
const SAYING = 'Tell me about the sea.';
const say = { maxTokens: 24, sampling: greedy };

describe('genes of a troupe', () => {
  let place: ReturnType<typeof folder>;
  let troupe: Troupe;
  beforeAll(() => {
    place = folder();
  });
  afterAll(() => place[Symbol.dispose]());
  beforeEach(async () => {
    troupe = await sharedTroupe(4);
    await troupe.genes.load(KJV, { name: 'kjv' });
    await troupe.genes.load(MELVILLE, { name: 'melville' });
  });
  afterEach(clear);

  const alone = async (genes: { gene: string; scale: number }[]) => {
    await using mind = await troupe.mind('alone', { genes });
    return (await mind.turn(SAYING, say).result).text;
  };

  it('E3 minds with different genes decode side by side, each as it does alone, and receipts say what ran', async () => {
    const phenotypes = {
      base: [],
      kjv: [{ gene: 'kjv', scale: 1 }],
      melville: [{ gene: 'melville', scale: 1 }],
      both: [
        { gene: 'kjv', scale: 0.5 },
        { gene: 'melville', scale: 0.5 },
      ],
    };
    const expected = new Map<string, string>();
    for (const [name, genes] of Object.entries(phenotypes)) expected.set(name, await alone(genes));
    expect(new Set(expected.values()).size).toBe(4);
    const turns = await Promise.all(
      Object.entries(phenotypes).map(async ([name, genes]) => {
        const mind = await troupe.mind(name, { genes });
        return { name, genes, turn: mind.turn(SAYING, say) };
      }),
    );
    for (const { name, genes, turn } of turns) {
      const { text, receipt } = await turn.result;
      expect(text).toBe(expected.get(name));
      expect(receipt.phenotype).toEqual({
        genes: genes.map(({ gene }) => gene),
        scales: genes.map(({ scale }) => scale),
      });
    }
  });

  it('case-3 a turn without genes after one with them uses none of its KV, nor the other way round', async () => {
    const mind = await troupe.mind('ada');
    const genes = [{ gene: 'kjv', scale: 1 }];
    const reused = async (given: object) => {
      const { receipt } = await mind.turn(SAYING, { ...say, ...given }).result;
      return receipt.runs[0]?.reused;
    };
    expect(await reused({ genes })).toBe(0);
    expect(await reused({ genes })).toBeGreaterThan(0);
    expect(await reused({})).toBe(0);
    expect(await reused({ genes: [] })).toBeGreaterThan(0);
    expect(await reused({ genes: [{ gene: 'kjv', scale: 0.5 }] })).toBe(0);
  });

  it('case-5 a gene replaced under its name is another one: nothing of its KV is used', async () => {
    const mind = await troupe.mind('ada', { genes: [{ gene: 'voice', scale: 1 }] });
    await troupe.genes.load(KJV, { name: 'voice' });
    const first = (await mind.turn(SAYING, say).result).text;
    await expect(troupe.genes.load(MELVILLE, { name: 'voice' })).rejects.toThrow(GeneNameTaken);
    await troupe.genes.load(MELVILLE, { name: 'voice', replace: true });
    const { receipt } = await mind.turn(SAYING, say).result;
    expect(receipt.runs[0]?.reused).toBe(0);
    expect(first).not.toBe(await alone([{ gene: 'melville', scale: 1 }]));
  });

  it('G2 a gene that a turn runs is not unloaded; afterwards it is, and its name means nothing', async () => {
    const mind = await troupe.mind('ada', { genes: [{ gene: 'kjv', scale: 1 }] });
    const turns = await busy(mind);
    await expect(troupe.genes.unload('kjv')).rejects.toThrow(GeneInUse);
    await expect(troupe.genes.load(MELVILLE, { name: 'kjv', replace: true })).rejects.toThrow(GeneInUse);
    for (const turn of turns) turn.cancel();
    for (const turn of turns) await turn.result;
    await troupe.genes.unload('kjv');
    const { outcome, error } = await mind.turn(SAYING, say).result;
    expect(outcome).toBe('failed');
    expect(error).toBeInstanceOf(NoSuchGene);
    await expect(troupe.genes.unload('kjv')).rejects.toThrow(NoSuchGene);
  });

  it('G2 an idle lane loses at once what it computed under a gene that is gone, and no more', async () => {
    const ada = await troupe.mind('ada', { genes: [{ gene: 'kjv', scale: 1 }] });
    const ben = await troupe.mind('ben', { genes: [{ gene: 'melville', scale: 1 }] });
    await Promise.all([ada, ben].map((mind) => mind.turn(SAYING, say).result));
    const held = (mind: string) =>
      troupe.inspect().lanes.find(({ mind: id }) => id === actorOf(troupe, mind))?.held ?? 0;
    const before = held('mind/ben');
    await troupe.genes.unload('kjv');
    await until(() => held('mind/ada') === 0, 'an empty lane');
    expect(held('mind/ben')).toBe(before);
    const { receipt } = await ada.turn(SAYING, { ...say, genes: [] }).result;
    expect(receipt.runs[0]).toMatchObject({ outcome: 'length', reused: 0 });
  });

  it('G1 the same content under two names is one gene, freed with the last of them', async () => {
    const copy = join(place.path, 'copy.gguf');
    copyFileSync(KJV, copy);
    const { id } = await troupe.genes.load(copy);
    const names = (await troupe.genes.list()).filter((gene) => gene.id === id).map(({ name }) => name);
    expect(names.sort()).toEqual(['copy', 'kjv']);
    await using both = await troupe.mind('both', { genes: names.map((gene) => ({ gene, scale: 0.5 })) });
    const { error } = await both.turn(SAYING, say).result;
    expect(error?.code).toBe('BadArgument');
    expect(error?.message).toContain('copy and kjv are two names of the same gene');
    await troupe.genes.unload('kjv');
    expect(await alone([{ gene: 'copy', scale: 1 }])).not.toBe(await alone([]));
    await troupe.genes.unload('copy');
    expect((await troupe.genes.load(copy)).id).not.toBe(id);
  });

  it('G1 what is no gene of this model is refused with what is wrong', async () => {
    await expect(troupe.genes.load(TINY)).rejects.toThrow(NotAGene);
    await expect(troupe.genes.load(join(place.path, 'none'))).rejects.toThrow('no such file');
    const large = KJV.replace('tiny', '5m');
    await expect(troupe.genes.load(large)).rejects.toThrow(GeneUnfit);
    expect((await troupe.genes.list()).map(({ name }) => name).sort()).toEqual(['kjv', 'melville']);
  });

  it.each([
    ['genes', 'kjv'],
    ['genes[0].scale', [{ gene: 'kjv' }]],
    ['genes[0].scale', [{ gene: 'kjv', scale: Number.NaN }]],
    ['genes[0].gene', [{ scale: 1 }]],
    [
      'genes[1].gene',
      [
        { gene: 'kjv', scale: 1 },
        { gene: 'kjv', scale: 1 },
      ],
    ],
  ])('G1 a wrong phenotype is refused, naming options.%s', async (argument, genes) => {
    const mind = await troupe.mind('ada');
    const refusal = expect.objectContaining({
      detail: expect.objectContaining({ argument: `options.${argument}` }),
    });
    expect(() => mind.turn(SAYING, { genes: genes as never })).toThrow(refusal);
    await expect(troupe.mind('ben', { genes: genes as never })).rejects.toThrow(BadArgument);
  });

  it('R4 a mind that leaves in mid-turn lets go of its genes', async () => {
    const mind = await troupe.mind('ada', { genes: [{ gene: 'kjv', scale: 1 }] });
    await begun(mind.turn(ENDLESS, { maxTokens: 400, sampling: circling }));
    await mind.leave();
    await troupe.genes.unload('kjv');
  });
});

describe('genes by default', () => {
  it('G1 are what a mind runs that names none, and not what one runs that names an empty list', async () => {
    const troupe = await startTroupe({ genes: { default: [{ gene: 'kjv', scale: 1 }] } });
    await troupe.genes.load(KJV, { name: 'kjv' });
    const said = async (name: string, options?: object) => {
      const mind = await troupe.mind(name, options);
      return mind.turn(SAYING, say).result;
    };
    const byDefault = await said('a');
    expect(byDefault.receipt.phenotype).toEqual({ genes: ['kjv'], scales: [1] });
    const none = await said('b', { genes: [] });
    expect(none.receipt.phenotype).toEqual({ genes: [], scales: [] });
    expect(none.text).not.toBe(byDefault.text);
    await expect(troupe.genes.unload('kjv')).rejects.toThrow(GeneInUse);
    await troupe.stop();
  });
});
