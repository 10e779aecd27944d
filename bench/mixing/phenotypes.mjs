/**
 * Batches of other phenotypes against one another, in bare loops: none, one gene each, several each, others in turn; and
 * against upstream, which has one adapter for all lanes.
 */
import { compare } from '../harness/pairs.mjs';
import { benchModel } from '../models/make.mjs';
import { upstreamLoop } from '../peers/upstream.mjs';
import { asFigure } from '../serving/comparison.mjs';
import { ONE_THREAD, script, settings } from '../serving/settings.mjs';

/** Lists for so many minds; `genesOf(mind)` names adapters by number. */
const of = (minds, genesOf) => Array.from({ length: minds }, (_, mind) => genesOf(mind));
const one = (scale) => (mind) => [{ number: mind, scale }];
const same = (scale) => () => [{ number: 0, scale }];
const three = (mind) => [0, 1, 2].map((i) => ({ number: mind + i, scale: 0.25 * (i + 1) }));

/** What a lane of `sides/bare` runs, as lists that take turns; what else it is told. */
const runs = (lists, told = {}) => ({ lists, told });
const none = runs([]);
/** What no lane runs, beside the two that are run. */
const IDLE_GENES = 254;

/** Each: minds, what ours do, what the others do (`upstream` or a list as well), and the bar; `model` is that of Q8_0. */
const FIGURES = {
  'mixed-2': { minds: 2, ours: runs([of(2, one(1))]), theirs: 'upstream', bar: 0.98 },
  'mixed-8': { minds: 8, ours: runs([of(8, one(1))]), theirs: 'upstream', bar: 0.95 },
  'none-8': { minds: 8, ours: runs([of(8, one(1))]), theirs: none, bar: 0.9 },
  'none-8-q4': { minds: 8, model: 'q4', ours: runs([of(8, one(1))]), theirs: none, bar: 0.87 },
  'none-16': { minds: 16, ours: runs([of(16, one(1))]), theirs: none, bar: 0.85 },
  'weighted-8': { minds: 8, ours: runs([of(8, three)]), theirs: runs([of(8, one(1))]), bar: 0.94 },
  'scales-2': {
    minds: 2,
    ours: runs([of(2, (mind) => [{ number: 0, scale: 0.5 + mind }])]),
    theirs: runs([of(2, same(1))]),
    bar: 0.99,
  },
  'sets-8': {
    minds: 8,
    ours: runs([of(8, one(1)), of(8, (mind) => one(0.5)(mind + 1))]),
    theirs: runs([of(8, one(1))]),
    bar: 0.98,
  },
  'lanes-02': {
    minds: 2,
    ours: runs([of(2, one(1))], { busy: [0, 2] }),
    theirs: runs([of(2, one(1))], { busy: [0, 1] }),
    bar: 0.98,
  },
};

/** The two sides of a figure: ours first. */
async function sidesOf({ minds, model = 'model', ours, theirs }, say) {
  const made = await benchModel({ say });
  const options = settings({ model: made[model], minds, threads: ONE_THREAD });
  const adapterOf = ({ number, scale }) => ({
    adapter: made.adapters[number % made.adapters.length],
    scale,
  });
  const bare = ({ lists, told }) => ({
    script: script('sides/bare'),
    options: {
      ...options,
      ...told,
      phenotypes: lists.map((lanes) => lanes.map((genes) => genes.map(adapterOf))),
    },
  });
  if (theirs !== 'upstream') return [bare(ours), bare(theirs)];
  const adapters = [adapterOf({ number: 0, scale: 1 })];
  const program = await upstreamLoop({ say });
  return [bare(ours), { script: script('sides/upstream'), options: { ...options, program, adapters } }];
}

const comparisons = Object.entries(FIGURES).map(([figure, parts]) => ({
  figures: [figure],
  async run({ say, report }) {
    const { processor } = await compare(...(await sidesOf(parts, say)));
    report(asFigure(figure, processor, 'tokens a processor second', parts.bar));
  },
}));

/** Here the ratio is of times, and the one with many genes comes second. */
const loaded = {
  figures: ['loaded-256'],
  async run({ say, report }) {
    const ours = runs([of(2, one(1))]);
    const theirs = runs([of(2, one(1))], { loaded: IDLE_GENES });
    const { processor } = await compare(...(await sidesOf({ minds: 2, ours, theirs }, say)));
    const [first, second] = processor.rates.map((rate) => (2000 / rate).toFixed(1));
    report({
      figure: 'loaded-256',
      value: processor.ratio,
      unit: 'ratio',
      bar: 1.02,
      better: 'lower',
      spread: processor.spread,
      note: `${second} against ${first} ms of processor time a step; ${processor.pairs} pairs`,
    });
  },
};

export const phenotypes = [...comparisons, loaded];
