/**
 * Whether the bare loop is a fair measure: it must come within 5 % of llama-batched-bench with one KV store.
 */
import { compare } from '../harness/pairs.mjs';
import { benchModel } from '../models/make.mjs';
import { llamaPrograms } from '../peers/llama.mjs';
import { asFigure } from './comparison.mjs';
import { ONE_THREAD, script, settings } from './settings.mjs';

/** Rounds of about 150 ms, so that several fit a slice. */
const STEPS_PER_ROUND = { 1: 8, 4: 3, 8: 2 };

const against = (minds) => ({
  figures: [`bare-${minds}`],
  async run({ say, report }) {
    const { batchedBench: program } = await llamaPrograms({ say });
    const { model } = await benchModel({ say });
    const same = {
      ...settings({ model, minds, threads: ONE_THREAD }),
      stepsPerRound: STEPS_PER_ROUND[minds],
    };
    const { processor } = await compare(
      { script: script('sides/bare'), options: same },
      { script: script('sides/batched-bench'), options: { ...same, program } },
    );
    report(asFigure(`bare-${minds}`, processor, 'tokens a processor second', 0.95));
  },
});

export const upstream = [1, 4, 8].map(against);
