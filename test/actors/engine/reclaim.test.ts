/** Runs that are given up and gone on with, on real contexts: what is read has no seam. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addon, greedy, ids, load, PARLOUR, TINY } from '../../native/fixtures.js';
import { type Kind, writeRandomModel } from '../../native/random-model.js';
import { settled } from '../thread.js';
import { EngineStage, type Read } from './stage.js';

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'troupe-reclaim-'));
});
afterAll(() => rmSync(place, { recursive: true }));

let stage: EngineStage;
afterEach(async () => {
  await stage.close();
  expect(addon.live()).toEqual({ models: 0, contexts: 0, genes: 0 });
});

const tokensOf = (path: string, text: string): Int32Array => {
  const model = load(path);
  const tokens = ids(model, text);
  model.close();
  return tokens;
};
const SAYING = 'And the LORD said unto Moses,';
const drawn = { ...greedy, seed: 7, temperature: 0.9, topK: 40, repeatPenalty: 1.2, repeatLast: 8 };
const most = (read: Read): number => read.runs.reduce((sum, { produced }) => sum + produced, 0);

function pathOf(kind: Kind | 'embedded'): string {
  const path = join(place, `${kind}.gguf`);
  if (kind === 'embedded') return PARLOUR;
  writeRandomModel(path, kind);
  return path;
}

describe.each<Kind | 'embedded'>(['dense', 'window', 'recurrent', 'hybrid', 'embedded'])(
  'a run of a %s model',
  (kind) => {
    it.each([
      ['greedy', greedy],
      ['drawn', drawn],
    ])('T4 that is given up again and again says %s what it says undisturbed', async (_, sampling) => {
      const model = pathOf(kind);
      stage = await EngineStage.open({ model });
      const tokens = tokensOf(model, SAYING);
      const given = { sampling, maxTokens: 40 };
      const whole = await stage.read(tokens, [], given);
      const seamed = await stage.read(tokens, [1, 9, 20], { ...given, activity: 'b' });
      // Of a character in several tokens a reader has nothing until it is whole.
      expect(seamed.runs.length).toBeGreaterThan(2);
      expect(seamed.text).toBe(whole.text);
      expect(seamed.runs.at(-1)).toMatchObject({
        text: whole.text,
        outcome: whole.runs[0]?.outcome,
        reply: whole.runs[0]?.reply,
      });
      expect(most(seamed)).toBe(most(whole));
      for (const run of seamed.runs.slice(1)) {
        expect([run.processed, run.pagedIn.bytes > 0]).toEqual([0, true]);
      }
    });
  },
);

describe('a run that is given up', () => {
  it('T4 anywhere, before a stop string or within it, ends where it does undisturbed', async () => {
    stage = await EngineStage.open();
    const tokens = tokensOf(TINY, SAYING);
    const sampling = { ...greedy, repeatPenalty: 1.3, repeatLast: -1 };
    const { text, tokens: said } = await stage.read(tokens, [], { sampling });
    const stops = [text.slice(30, 48)];
    const whole = await stage.read(tokens, [], { sampling, stops });
    expect([whole.text, whole.runs[0]?.outcome]).toEqual([text.slice(0, 30), 'stop']);
    for (let seam = 1; seam < said.length; seam++) {
      const seamed = await stage.read(tokens, [seam], { sampling, stops, activity: `seam ${seam}` });
      expect([seamed.text, seamed.runs.at(-1)?.outcome]).toEqual([whole.text, 'stop']);
      expect(seamed.runs.at(-1)?.reply).toEqual(whole.runs[0]?.reply);
    }
  });

  it('T4 counts what earlier runs said towards the most tokens, and says of itself what it did', async () => {
    stage = await EngineStage.open();
    const tokens = tokensOf(TINY, SAYING);
    const { runs } = await stage.read(tokens, [10], { maxTokens: 12 });
    expect(runs.map(({ outcome }) => outcome)).toEqual(['reclaimed', 'length']);
    expect(runs.map(({ produced }) => produced)).toEqual([10, 2]);
    expect(runs.map(({ processed }) => processed)).toEqual([tokens.length, 0]);
    expect(await stage.heard('ran')).toMatchObject([
      { held: 0, activity: undefined, produced: 10 },
      { held: tokens.length + 11, activity: 'a', produced: 2 },
    ]);
  });

  it('T2 in its prompt goes on behind what was read of it', async () => {
    stage = await EngineStage.open({ rows: 16 });
    const tokens = tokensOf(TINY, `${SAYING} `.repeat(30));
    const whole = await stage.read(tokens, [], { activity: 'b', lane: 1 });
    stage.tell({ type: 'vacate', epoch: 0, claims: [{ lane: 1, activity: 'b', keep: false }], drop: [] });
    const grant = stage.begin(tokens);
    const ended = stage.done();
    // At most a step a turn of the loop.
    await settled(3);
    stage.tell({ type: 'yield', grant, leftIn: 'page' });
    const { processed, produced, soFar } = await ended;
    expect([produced, processed < tokens.length, soFar?.tokens.length]).toEqual([0, true, 0]);
    const { runs, text } = await stage.read(tokens, [], { soFar });
    expect([runs[0]?.processed, text]).toEqual([tokens.length - processed, whole.text]);
  });

  it('T2 before it came is refused when it comes, and leaves the lane as it was', async () => {
    stage = await EngineStage.open();
    const tokens = tokensOf(TINY, SAYING);
    stage.tell({ type: 'yield', grant: 1, leftIn: 'page' });
    const ended = stage.done();
    stage.begin(tokens);
    expect(await ended).toMatchObject({ outcome: 'reclaimed', begun: false, soFar: undefined });
    expect(await stage.heard('ran')).toMatchObject([{ grant: 1, held: 0 }]);
  });

  it('T2 where pages have no room stays in its lane', async () => {
    stage = await EngineStage.open({ pageBytes: 100 });
    const tokens = tokensOf(TINY, SAYING);
    const { runs } = await stage.read(tokens, [5], { maxTokens: 6 });
    expect(runs[1]).toMatchObject({ pagedIn: { bytes: 0 }, processed: 0 });
    expect(await stage.heard('ran')).toMatchObject([{ activity: 'a', held: tokens.length + 4 }, {}]);
  });

  it.each([
    ['its mind', (grant: number) => stage.tell({ type: 'yield', grant, leftIn: 'lane' })],
    [
      'the broker',
      (grant: number) => stage.tell({ type: 'revoke', grant, error: undefined, leftIn: 'lane' }),
    ],
  ])('B4 told so by %s stays in its lane as it is, and goes on there', async (_, giveUp) => {
    stage = await EngineStage.open({ rows: 16 });
    const tokens = tokensOf(TINY, `${SAYING} `.repeat(30));
    const whole = await stage.read(tokens, [], { activity: 'b', lane: 1 });
    stage.tell({ type: 'vacate', epoch: 0, claims: [{ lane: 1, activity: 'b', keep: false }], drop: [] });
    await stage.heard('ran');
    const grant = stage.begin(tokens);
    const ended = stage.done();
    await settled(3);
    giveUp(grant);
    const { processed, soFar } = await ended;
    const [ran] = await stage.heard('ran');
    expect(ran).toMatchObject({ activity: 'a', held: processed });
    expect(addon.pages.usage().count).toBe(0);
    const { runs, text } = await stage.read(tokens, [], { soFar, continues: true });
    expect(runs[0]).toMatchObject({ processed: tokens.length - processed, pagedIn: { bytes: 0 } });
    expect(text).toBe(whole.text);
  });

  it('T2 by the broker ends so too; one that has not come never runs', async () => {
    stage = await EngineStage.open();
    const grant = stage.begin(tokensOf(TINY, SAYING));
    const ended = stage.done();
    await settled(3);
    stage.tell({ type: 'revoke', grant, error: undefined, leftIn: 'page' });
    expect(await ended).toMatchObject({ outcome: 'reclaimed', error: undefined });
    stage.tell({ type: 'revoke', grant: 9, error: undefined, leftIn: 'page' });
    expect(await stage.heard('never-ran')).toEqual([{ type: 'never-ran', grant: 9 }]);
  });
});

describe('what a reader has', () => {
  it('E7 is enough to go on from, be it the whole reply', async () => {
    stage = await EngineStage.open();
    const tokens = tokensOf(TINY, SAYING);
    const maxTokens = 20;
    const { text, tokens: said, runs } = await stage.read(tokens, [], { maxTokens });
    expect(said).toEqual([...(runs[0]?.reply ?? [])]);
    for (const had of [0, 1, 12, said.length]) {
      const soFar = { tokens: Int32Array.from(said.slice(0, had)), carried: 0, carriedTokens: 0 };
      const again = await stage.read(tokens, [], { maxTokens, soFar, activity: `had ${had}` });
      expect([again.text, again.tokens]).toEqual([text, said]);
      expect(most(again)).toBe(maxTokens - had);
    }
  });
});
