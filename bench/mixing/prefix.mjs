/**
 * The first token of a mind whose first thousand tokens another mind has had processed, against that other mind's: the
 * bench model, both under the same gene, one after the other on an idle troupe.
 */
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median, spread } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { ONE_THREAD } from '../serving/settings.mjs';

/** Words of a token each, and so the length of the common beginning. */
const WORLD_TOKENS = 1_000;
const SAMPLES = 3;
const CONTEXT = 2_048;

export const prefix = {
  figures: ['prefix'],
  async run({ say, report }) {
    const { model, adapters } = await benchModel({ say });
    const options = { model, lanes: 2, context: CONTEXT, threads: ONE_THREAD };
    const samples = await withTroupe(options, async (troupe) => {
      await troupe.genes.load(adapters[0], { name: 'gene' });
      const taken = [];
      for (let sample = 0; sample < SAMPLES; sample++) taken.push(await measure(troupe, sample));
      return taken;
    });
    const ratios = samples.map(({ first, second }) => second / first);
    report({
      figure: 'prefix',
      value: median(ratios),
      unit: '',
      bar: 0.1,
      better: 'lower',
      spread: spread(ratios),
      note: `second mind ${median(samples.map(({ second }) => second)).toFixed(0)} ms, first ${median(samples.map(({ first }) => first)).toFixed(0)} ms, of wall clock`,
    });
  },
};

/** Milliseconds from the call to the first token, of two minds with a world of their own in each sample. */
async function measure(troupe, sample) {
  const system = `${sample} ${'sea '.repeat(WORLD_TOKENS)}`;
  const mindOf = (name) =>
    troupe.mind(`${name}-${sample}`, { system, sampling: GREEDY, genes: [{ gene: 'gene', scale: 1 }] });
  const minds = await Promise.all(['first', 'second'].map(mindOf));
  const times = [];
  for (const [i, mind] of minds.entries()) {
    const result = await mind.turn(`Speak, number ${i}.`, { maxTokens: 1 }).result;
    expectTurn(result, { outcomes: ['length', 'stop'] });
    const [{ shared, waitedMs, promptMs }] = result.receipt.runs;
    if (i === 0 ? shared > 0 : shared < WORLD_TOKENS) throw new Error(`mind ${i} shared ${shared} tokens`);
    times.push(waitedMs + promptMs);
  }
  for (const mind of minds) await mind.leave();
  const [first, second] = times;
  return { first, second };
}
