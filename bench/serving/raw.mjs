/**
 * What the whole actor path costs: decode through minds, broker and engine against a bare loop of the same batch.
 */
import { benchModel } from '../models/make.mjs';
import { reportComparison } from './comparison.mjs';
import { REPLY, script, settings } from './settings.mjs';

const against = (minds) => ({
  figures: [`raw-${minds}`],
  async run({ say, report }) {
    const { model } = await benchModel({ say });
    await reportComparison({
      figure: `raw-${minds}`,
      bar: 0.95,
      report,
      say,
      sides: (threads) => {
        const options = { ...settings({ model, minds, threads }), replyTokens: REPLY };
        return [
          { script: script('sides/troupe'), options },
          { script: script('sides/bare'), options },
        ];
      },
    });
  },
});

export const raw = [1, 4, 8].map(against);
