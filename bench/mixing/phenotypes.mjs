/**
 * Batches of other phenotypes against one another, in bare loops: none, one gene each, several each, others in turn.
 */
import { compare } from '../harness/pairs.mjs';
import { benchModel } from '../models/make.mjs';
import { asFigure } from '../serving/comparison.mjs';
import { ONE_THREAD, script, settings } from '../serving/settings.mjs';

/** Lists for so many minds; `genesOf(mind)` names adapters by number. */
const of = (minds, genesOf) => Array.from({ length: minds }, (_, mind) => genesOf(mind));
const one = (scale) => (mind) => [{ number: mind, scale }];
const same = (scale) => () => [{ number: 0, scale }];
const three = (mind) => [0, 1, 2].map((i) => ({ number: mind + i, scale: 0.25 * (i + 1) }));

/** Each: minds, what ours run and what the other side runs (one list, or several that take turns), and the bar. */
const FIGURES = {
  'none-8': { minds: 8, ours: [of(8, one(1))], theirs: [], bar: 0.9 },
  'none-16': { minds: 16, ours: [of(16, one(1))], theirs: [], bar: 0.85 },
  'weighted-8': { minds: 8, ours: [of(8, three)], theirs: [of(8, one(1))], bar: 0.94 },
  'scales-2': {
    minds: 2,
    ours: [of(2, (mind) => [{ number: 0, scale: 0.5 + mind }])],
    theirs: [of(2, same(1))],
    bar: 0.99,
  },
  'sets-8': {
    minds: 8,
    ours: [of(8, one(1)), of(8, (mind) => one(0.5)(mind + 1))],
    theirs: [of(8, one(1))],
    bar: 0.98,
  },
};

export const phenotypes = Object.entries(FIGURES).map(([figure, { minds, ours, theirs, bar }]) => ({
  figures: [figure],
  async run({ say, report }) {
    const { model, adapters } = await benchModel({ say });
    const options = settings({ model, minds, threads: ONE_THREAD });
    const side = (turns) => ({
      script: script('sides/bare'),
      options: {
        ...options,
        phenotypes: turns.map((lanes) =>
          lanes.map((genes) =>
            genes.map(({ number, scale }) => ({ adapter: adapters[number % adapters.length], scale })),
          ),
        ),
      },
    });
    const { processor } = await compare(side(ours), side(theirs));
    report(asFigure(figure, processor, 'tokens a processor second', bar));
  },
}));
