import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeContext, NativeModel, SamplerOptions } from '../../src/native/addon.js';
import { contextOptions, feed, greedy, ids, load, NONE, PARLOUR, produce, TINY } from './fixtures.js';
import { writeRandomModel } from './random-model.js';
import { choose, uniform } from './reference-sampler.js';

let model: NativeModel;
let context: NativeContext;
let prompt: Int32Array;
beforeAll(() => {
  model = load(TINY);
  context = model.context(contextOptions);
  prompt = ids(model, '<|im_start|>user\nTell me of the sea.<|im_end|>\n<|im_start|>assistant\n');
});
afterAll(() => {
  context.close();
  model.close();
});

const ROUNDING = 1e-6;

const drawn: SamplerOptions = { ...greedy, seed: 7, temperature: 0.8 };

/** The first `count` tokens that follow the prompt under these options. */
function reply(options: SamplerOptions, count = 32, produced: ArrayLike<number> = NONE): number[] {
  context.clear(0);
  context.setSampler(0, options, Int32Array.from(produced));
  const first = feed(context, 0, [...prompt, ...Array.from(produced)], 1).sampled[0] as number;
  return produce(context, 0, first, count);
}

describe('E2 sampling against the plain reference', () => {
  const table: [string, Partial<SamplerOptions>][] = [
    ['greedy', { temperature: 0 }],
    ['greedy with a penalty', { temperature: 0, repeatPenalty: 1.5, repeatLast: -1 }],
    ['temperature alone', { temperature: 1 }],
    ['a high temperature', { temperature: 3 }],
    ['a low temperature', { temperature: 0.05 }],
    ['a vanishing temperature', { temperature: 1e-40 }],
    ['top-k 1', { topK: 1, temperature: 2 }],
    ['top-k 5', { topK: 5, temperature: 2 }],
    ['top-k 500', { topK: 500, temperature: 2 }],
    ['a top-k above the vocabulary', { topK: 1_000_000, temperature: 2 }],
    ['top-p 0', { topP: 0, temperature: 2 }],
    ['top-p 0.5', { topP: 0.5, temperature: 2 }],
    ['top-p 0.99', { topP: 0.99, temperature: 2 }],
    ['top-k and top-p', { topK: 20, topP: 0.8, temperature: 2 }],
    ['min-p 0.1', { minP: 0.1, temperature: 2 }],
    ['min-p 1', { minP: 1, temperature: 2 }],
    ['top-p and min-p', { topP: 0.95, minP: 0.02, temperature: 2 }],
    ['a penalty on the last 4', { repeatPenalty: 1.3, repeatLast: 4 }],
    ['a penalty below one', { repeatPenalty: 0.7, repeatLast: 16 }],
    ['a penalty on none', { repeatPenalty: 2, repeatLast: 0 }],
    [
      'all of them',
      { topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.1, repeatLast: -1, temperature: 1.2 },
    ],
  ];
  it.each(table)('E2 %s chooses the same tokens', (_name, changed) => {
    const options = { ...drawn, ...changed };
    context.clear(0);
    context.setSampler(0, options, NONE);
    const produced: number[] = [];
    let next: ArrayLike<number> = prompt;
    for (let i = 0; i < 48; i++) {
      const { sampled } = feed(context, 0, next, 1);
      const logits = context.logits(0);
      // A draw that falls on the border of two tokens may go to either: one side sums in 32-bit floats.
      const expected = [0, -ROUNDING, ROUNDING].map((nudge) => choose(logits, produced, options, nudge));
      expect(expected, `token ${i}`).toContain(sampled[0]);
      produced.push(sampled[0] as number);
      next = sampled;
    }
  });
});

describe('E2 a seed', () => {
  it('E2 a seed replays its tokens', () => {
    expect(reply(drawn)).toEqual(reply(drawn));
  });

  it('E2 another seed gives other tokens', () => {
    const replies = [0, 1, 2, 3, 2 ** 32, 2 ** 53 - 1, 2 ** 53].map((seed) =>
      reply({ ...drawn, seed }).join(),
    );
    expect(new Set(replies).size).toBe(replies.length);
  });

  it.each([1, 5, 20])('E2 sampling goes on after %i tokens from options, seed and tokens alone', (after) => {
    const options = { ...drawn, repeatPenalty: 1.2, repeatLast: 8, topK: 50 };
    const whole = reply(options);
    expect(reply(options, whole.length - after, whole.slice(0, after))).toEqual(whole.slice(after));
  });

  it('E2 draws are spread evenly and follow no other seed', () => {
    const draws = Array.from({ length: 4000 }, (_, i) => uniform(3, i));
    expect(draws.reduce((sum, u) => sum + u, 0) / draws.length).toBeCloseTo(0.5, 1);
    const buckets = new Array(10).fill(0);
    for (const u of draws) buckets[Math.floor(u * 10)]++;
    for (const bucket of buckets) expect(Math.abs(bucket - 400)).toBeLessThan(90);
    const follows = draws.filter((u, i) => u === uniform(4, i) || u === uniform(4, i + 1)).length;
    expect(follows).toBe(0);
  });

  it('E2 lanes of one step draw each from its own', () => {
    const seeds = [1, 2, 3, 4];
    const alone = seeds.map((seed) => reply({ ...drawn, seed, temperature: 1.5 }, 1)[0]);
    const rows = seeds.flatMap((seed, lane) => {
      context.clear(lane);
      context.setSampler(lane, { ...drawn, seed, temperature: 1.5 }, NONE);
      feed(context, lane, prompt.subarray(0, -1), 0);
      return [prompt.at(-1) as number, lane, prompt.length - 1, 1];
    });
    const sampled = new Int32Array(4);
    expect(context.step(Int32Array.from(rows), 4, sampled)).toBe(0);
    expect([...sampled]).toEqual(alone);
  });
});

describe('E2 a penalty', () => {
  it('E2 a penalty leaves the logits as they were', () => {
    const plain = load(PARLOUR);
    const lanes = plain.context(contextOptions);
    lanes.setSampler(
      0,
      { ...greedy, repeatPenalty: 5, repeatLast: -1 },
      Int32Array.from({ length: 500 }, (_, i) => i),
    );
    feed(lanes, 0, ids(plain, 'The sea'), 1);
    const after = lanes.logits(0);
    lanes.clear(0);
    feed(lanes, 0, ids(plain, 'The sea'), 2);
    expect(lanes.logits(0)).toEqual(after);
    lanes.close();
    plain.close();
  });
});

describe('E2 equal logits', () => {
  it.each([
    ['greedy', {}],
    ['among three', { temperature: 1, topK: 3 }],
    ['among a part of the mass', { temperature: 1, topP: 0.1 }],
    ['among all', { temperature: 1 }],
  ])('E2 equal logits go to the lower token first, %s', (_name, changed) => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-ties-'));
    const path = join(folder, 'ties.gguf');
    // The embedding is the output matrix too: all logits are zero.
    writeRandomModel(path, 'dense', ({ name, data }) => {
      if (name === 'token_embd.weight') data.fill(0);
    });
    const even = load(path);
    const lanes = even.context(contextOptions);
    const options = { ...greedy, seed: 3, ...changed };
    for (let i = 0; i < 20; i++) {
      const produced = Array.from({ length: i }, (_, token) => token);
      lanes.clear(0);
      lanes.setSampler(0, options, Int32Array.from(produced));
      const { sampled } = feed(lanes, 0, [5], 1);
      expect(sampled).toEqual([choose(new Float32Array(even.info.vocabulary), produced, options)]);
    }
    lanes.close();
    even.close();
    rmSync(folder, { recursive: true });
  });
});
