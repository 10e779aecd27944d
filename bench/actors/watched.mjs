/**
 * What it costs to be looked at: 1,000 actors at work without and with an observer of the whole system.
 */
import { apart } from './apart.mjs';

const OPTIONS = { actors: 1_000, tokens: 64, hops: 1_000, everyMs: 250, pairs: 15, sliceMs: 1_000 };

export const watched = {
  figures: ['watched'],
  async run({ report }) {
    const { processor, wall, looks } = await apart('watched', OPTIONS);
    if (looks < OPTIONS.pairs) throw new Error(`only ${looks} looks in ${OPTIONS.pairs} rounds`);
    const figure = (id, { ratio, interval, spread, rates }, unit, bar) => {
      const [without, beside] = rates.map((rate) => Math.round(rate).toLocaleString('en'));
      const between = interval.map((at) => at.toFixed(3)).join(' to ');
      const note = `95 % interval of the median ${between}; ${beside} against ${without} hops a ${unit}; ${looks} looks`;
      report({ figure: id, value: ratio, unit: 'ratio', bar, better: 'lower', spread, note });
    };
    figure('watched', processor, 'processor second', 1.1);
    figure('watched-wall', wall, 'second', null);
  },
};
