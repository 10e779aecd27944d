/** Many genes, and many minds with different ones: whose KV is whose, and who waits for whom. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Mind, Troupe, TurnResult } from '../../src/index.js';
import { clear, sharedTroupe } from './shared.js';
import { folder, geneFile } from './stage.js';

const KJV = geneFile('kjv');
const MELVILLE = geneFile('melville');
/** Shows small differences in what is likely soon. */
const drawn = { temperature: 1, seed: 7 };
const P = 'Speak of the sea.';

let troupe: Troupe;
beforeEach(async () => {
  troupe = await sharedTroupe(2);
  await troupe.genes.load(KJV, { name: 'kjv' });
  await troupe.genes.load(MELVILLE, { name: 'melville' });
});
afterEach(clear);

const mindOf = (name: string, gene: string, scale = 1): Promise<Mind> =>
  troupe.mind(name, { genes: [{ gene, scale }], sampling: drawn });
const say = (mind: Mind, text: string, room = 'main'): Promise<TurnResult> =>
  mind.turn(text, { room, maxTokens: 16 }).result;
/** What a mind that was never there before says to it. */
async function cold(gene: string): Promise<string> {
  await using mind = await mindOf('cold', gene);
  return (await say(mind, P)).text;
}

test('case-1 a prompt that another ran under other genes is read anew, and the other keeps its own', async () => {
  const expected = await cold('melville');
  await using x = await mindOf('x', 'kjv');
  await using y = await mindOf('y', 'melville');
  await say(x, P);
  await say(y, 'Who goes there?', 'other');
  const again = await say(y, P);
  expect(again.text).toBe(expected);
  expect(again.receipt.runs[0]?.reused).toBe(0);
});

test('case-2 two with one text and different genes, taking turns on one lane, each say what they say alone', async () => {
  await troupe.relaunch({ lanes: 1 });
  const expected = [await cold('kjv'), await cold('melville')];
  expect(expected[0]).not.toBe(expected[1]);
  await using x = await mindOf('x', 'kjv');
  await using y = await mindOf('y', 'melville');
  for (let round = 0; round < 3; round++) {
    expect((await say(x, P, `room-${round}`)).text).toBe(expected[0]);
    expect((await say(y, P, `room-${round}`)).text).toBe(expected[1]);
  }
});

/** The gene with one number of its weights changed: other content of the same shape. */
function variant(path: string, number: number): string {
  const bytes = readFileSync(KJV);
  bytes.writeUInt16LE(number, bytes.length - 2);
  writeFileSync(path, bytes);
  return path;
}

test('case-11 256 genes loaded, one and sixteen of them active', { timeout: 120_000 }, async () => {
  using dir = folder();
  for (let i = 0; i < 254; i++) {
    await troupe.genes.load(variant(join(dir.path, `${i}.gguf`), i + 1), { name: `gene-${i}` });
  }
  expect(await troupe.genes.list()).toHaveLength(256);
  await using one = await mindOf('one', 'gene-7');
  expect((await say(one, P)).outcome).toBe('length');
  const genes = Array.from({ length: 16 }, (_, i) => ({ gene: `gene-${i}`, scale: 1 / 16 }));
  await using many = await troupe.mind('many', { genes, sampling: drawn });
  const { outcome, receipt } = await say(many, P);
  expect(outcome).toBe('length');
  expect(receipt.phenotype.genes).toHaveLength(16);
});

test('case-14 a mind with other genes does not wait behind one that floods', async () => {
  await using flood = await mindOf('flood', 'kjv');
  await using light = await mindOf('light', 'melville');
  let done = 0;
  const turns = Array.from({ length: 40 }, (_, i) =>
    say(flood, P, `room-${i}`).then((result) => {
      done++;
      return result;
    }),
  );
  await Promise.race(turns);
  const before = done;
  await say(light, P);
  // Those that ran when it asked, and those that end beside it.
  expect(done - before).toBeLessThanOrEqual(6);
  await flood.leave();
  await Promise.all(turns);
});
