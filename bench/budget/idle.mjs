/**
 * What broker and residency take of a processor while nobody says anything: 10,000 minds, 400 of which have had a turn. All
 * threads of the process count, so it is more than these two take. It begins when V8 has tidied up after the making of so
 * many minds, which takes it up to a minute and a half.
 */
import { fileURLToPath } from 'node:url';
import { apartIn } from '../harness/apart.mjs';

const MODELS = new URL('../../models/', import.meta.url);
const RUN = { minds: 10_000, speakers: 400, settleMs: 120_000, watchMs: 20_000 };
/** A busy machine takes its time to make so many minds. */
const WITHIN_MS = 600_000;

export const idleCost = {
  figures: ['idle-cost'],
  async run({ report }) {
    const file = (name) => fileURLToPath(new URL(name, MODELS));
    const run = {
      model: file('parlour-tiny-F16.gguf'),
      gene: file('parlour-tiny-gene-kjv-F16.gguf'),
      ...RUN,
    };
    const { share, seconds } = await apartIn('budget')('idle', run, WITHIN_MS);
    report({
      figure: 'idle-cost',
      value: 100 * share,
      unit: '%',
      bar: 0.5,
      better: 'lower',
      note: `of one core, over ${seconds.toFixed(0)} s, ${RUN.minds} minds`,
    });
  },
};
