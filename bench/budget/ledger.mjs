/**
 * Whether the ledger has every byte: what the process has grown by since before the model was loaded, less JavaScript's own
 * counters, against the sum of all leases, after each part of a run with paging.
 */
import { apartIn } from '../harness/apart.mjs';
import { benchModel } from '../models/make.mjs';

const RUN = { lanes: 2, minds: 6, rounds: 2, context: 2_048, promptWords: 100, replyTokens: 8 };
const GENES = 4;
/** A busy machine takes its time over so many prompts. */
const WITHIN_MS = 900_000;

export const ledger = {
  figures: ['ledger'],
  async run({ say, report }) {
    const { model, adapters } = await benchModel({ say });
    const run = { model, adapters: adapters.slice(0, GENES), ...RUN };
    const [before, ...samples] = await apartIn('budget')('ledger', run, WITHIN_MS);
    const shares = samples.map(({ what, residentBytes, scriptBytes, ledgerBytes }) => {
      const grown = residentBytes - before.residentBytes - (scriptBytes - before.scriptBytes);
      return { what, share: grown / ledgerBytes, ledgerBytes };
    });
    const off = ({ share }) => Math.abs(share - 1);
    const worst = shares.reduce((most, each) => (off(each) > off(most) ? each : most));
    const mb = (worst.ledgerBytes / 1e6).toFixed(0);
    report({
      figure: 'ledger',
      value: off(worst),
      unit: '',
      bar: 0.05,
      better: 'lower',
      note: `${worst.share.toFixed(3)} of the ledger's ${mb} MB after ${worst.what}; ${shares.map(({ what, share }) => `${what} ${share.toFixed(3)}`).join(', ')}`,
    });
  },
};
