/** Minds with an equal beginning: it is processed once, and nobody can tell but by the receipts. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadArgument, type MindOptions, type Troupe, type TurnResult } from '../../src/index.js';
import { clear, sharedTroupe } from './shared.js';
import { begun, circling, ENDLESS, geneFile, greedy, startTroupe, until } from './stage.js';

const WORLD = 'The town lies by the sea, and its people are sailors, priests and widows of sailors. '.repeat(
  8,
);
const SAYING = 'Tell me about the sea.';
const say = { maxTokens: 16, sampling: greedy };
const kjv = (scale = 1) => [{ gene: 'kjv', scale }];
const melville = [{ gene: 'melville', scale: 1 }];

async function loadGenes(troupe: Troupe): Promise<void> {
  for (const name of ['kjv', 'melville']) await troupe.genes.load(geneFile(name), { name });
}
const runOf = ({ receipt }: TurnResult) => {
  const [run] = receipt.runs;
  if (run === undefined) throw new Error('it never ran');
  expect(run.processed + run.reused).toBe(receipt.promptTokens);
  return run;
};

let single: Troupe;
let troupe: Troupe;
beforeAll(async () => {
  single = await startTroupe({ lanes: 1 });
  await loadGenes(single);
});
afterAll(() => single.stop());
beforeEach(async () => {
  troupe = await sharedTroupe(4);
  await loadGenes(troupe);
});
afterEach(clear);

/** What a mind says on a troupe with one lane, which shares with nobody. */
async function cold(options: MindOptions, saying = SAYING): Promise<string> {
  await using mind = await single.mind('cold', { system: WORLD, ...options });
  const result = await mind.turn(saying, say).result;
  expect(runOf(result)).toMatchObject({ reused: 0, shared: 0 });
  return result.text;
}

const mind = (name: string, options: MindOptions = {}) => troupe.mind(name, { system: WORLD, ...options });
const said = async (name: string, options: MindOptions = {}, saying = SAYING) =>
  (await mind(name, options)).turn(saying, say).result;

describe('minds of one world text', () => {
  it('E5 process it once: receipts say what was shared, and all say what they say alone', async () => {
    const first = await said('ada', { genes: kjv() });
    expect(runOf(first)).toMatchObject({ reused: 0, shared: 0 });
    const second = await said('ben', { genes: kjv() }, 'Who are you?');
    const { reused, shared } = runOf(second);
    expect(shared).toBe(reused);
    expect(shared).toBeGreaterThan(100);
    expect(first.text).toBe(await cold({ genes: kjv() }));
    expect(second.text).toBe(await cold({ genes: kjv() }, 'Who are you?'));
  });

  it('E5 that come together wait for the first to have it', async () => {
    const names = ['ada', 'ben', 'eve'];
    const minds = await Promise.all(names.map((name) => mind(name)));
    const results = await Promise.all(minds.map((each) => each.turn(SAYING, say).result));
    expect(results.filter((result) => runOf(result).shared > 100).length).toBe(2);
    const expected = await cold({});
    for (const { text } of results) expect(text).toBe(expected);
  });

  it('E4 are not disturbed when the first is cancelled while they wait for it, or share it', async () => {
    const [ada, ben, eve] = [await mind('ada'), await mind('ben'), await mind('eve')];
    const first = ada.turn(ENDLESS, { maxTokens: 200, sampling: circling });
    const second = ben.turn(SAYING, say);
    first.cancel();
    expect((await second.result).text).toBe(await cold({}));
    const again = ada.turn(ENDLESS, { maxTokens: 200, sampling: circling });
    await begun(again);
    const third = eve.turn(SAYING, say);
    again.cancel();
    expect((await third.result).text).toBe(await cold({}));
  });

  it('T6 keep it when a mind that had it first leaves', async () => {
    const ada = await mind('ada');
    await ada.turn(SAYING, say).result;
    const ben = await mind('ben');
    const turn = ben.turn(ENDLESS, { maxTokens: 100, sampling: circling });
    await begun(turn);
    await ada.leave();
    const result = await turn.result;
    expect(runOf(result).shared).toBeGreaterThan(100);
    await using alone = await single.mind('alone', { system: WORLD });
    expect(result.text).toBe((await alone.turn(ENDLESS, { maxTokens: 100, sampling: circling }).result).text);
  });

  it.each<[string, MindOptions]>([
    ['other genes', { genes: melville }],
    ['the same genes at another scale', { genes: kjv(0.5) }],
    ['no genes', { genes: [] }],
  ])('case-1 share nothing with %s', async (_what, options) => {
    await said('ada', { genes: kjv() });
    const result = await said('ben', options);
    expect(runOf(result)).toMatchObject({ reused: 0, shared: 0 });
    expect(result.text).toBe(await cold(options));
  });

  it('case-2 of two phenotypes are each found again by their own', async () => {
    await said('ada', { genes: kjv() });
    await said('ben', { genes: melville });
    for (const [name, genes] of [
      ['eve', kjv()],
      ['joe', melville],
    ] as const) {
      const result = await said(name, { genes }, 'Who are you?');
      expect(runOf(result).shared).toBeGreaterThan(100);
      expect(result.text).toBe(await cold({ genes }, 'Who are you?'));
    }
  });
});

describe("prefix: 'base'", () => {
  const base = { prefix: 'base' } as const;
  it('E3 the world text is shared by minds of any genes, which apply after it', async () => {
    const first = await said('ada', { ...base, genes: kjv() });
    const texts = new Map<string, string>([['kjv', first.text]]);
    for (const [name, genes] of [
      ['melville', melville],
      ['half', kjv(0.5)],
      ['none', []],
    ] as const) {
      const result = await said(name, { ...base, genes });
      expect(runOf(result).shared).toBeGreaterThan(100);
      texts.set(name, result.text);
    }
    expect(texts.get('kjv')).toBe(await cold({ ...base, genes: kjv() }));
    expect(texts.get('melville')).toBe(await cold({ ...base, genes: melville }));
    expect(texts.get('none')).toBe(await cold({ genes: [] }));
    expect(new Set(texts.values()).size).toBeGreaterThan(2);
  });

  it('E3 a mind keeps it when its genes change', async () => {
    const ada = await mind('ada', base);
    const kept = async (genes: typeof melville) => runOf(await ada.turn(SAYING, { ...say, genes }).result);
    await kept(kjv());
    const { reused, shared } = await kept(melville);
    expect(shared).toBe(0);
    expect(reused).toBeGreaterThan(100);
  });

  it('P3 it is not what minds share whose genes apply from the first token', async () => {
    await said('ada', { ...base, genes: kjv() });
    expect(runOf(await said('ben', { genes: kjv() }))).toMatchObject({ reused: 0 });
  });

  it('E3 any other prefix is refused', async () => {
    await expect(mind('ada', { prefix: 'none' as never })).rejects.toThrow(BadArgument);
  });
});

describe('cells', () => {
  it('T1 never run out where minds share, though there are fewer than lanes x context', async () => {
    const small = await startTroupe({ lanes: 4, cells: 512 });
    const names = Array.from({ length: 8 }, (_, i) => `m${i}`);
    const minds = await Promise.all(names.map((name) => small.mind(name, { system: WORLD })));
    for (let round = 0; round < 3; round++) {
      const turns = minds.map((each, i) => each.turn(`${i} ${SAYING}`, { ...say, room: `${round}` }));
      for (const { outcome, error } of await Promise.all(turns.map((turn) => turn.result))) {
        expect(error).toBeUndefined();
        expect(['stop', 'length']).toContain(outcome);
      }
    }
    await until(() => small.inspect().lanes.every(({ state }) => state !== 'running'), 'a troupe at rest');
    await small.stop();
  });
});
