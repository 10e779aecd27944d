/**
 * What a gene that is not on the device adds to the time to the first token: twice as many genes as slots, each by a mind of
 * its own, in turn, so that every gene is out when it is wanted; then the same mind once more, whose gene is there. What the
 * model takes to read the prompt, a hundred times as long, is the same in both and taken off of both.
 */
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median, spread } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { ONE_THREAD } from '../serving/settings.mjs';
import { copyTimes } from './copies.mjs';

const SLOTS = 4;
const GENES = 2 * SLOTS;
/** Turns of each mind that miss, and as many that do not. */
const ROUNDS = 6;
const CONTEXT = 512;

export const misses = {
  figures: ['miss'],
  async run({ say, report }) {
    const { model, adapters } = await benchModel({ say });
    const options = { model, lanes: 1, context: CONTEXT, threads: ONE_THREAD, genes: { slots: SLOTS } };
    const { added, bytes } = await withTroupe(options, async (troupe) => {
      const minds = [];
      for (let i = 0; i < GENES; i++) {
        await troupe.genes.load(adapters[i], { name: `gene-${i}` });
        const genes = [{ gene: `gene-${i}`, scale: 1 }];
        minds.push(await troupe.mind(`mind-${i}`, { sampling: GREEDY, genes }));
      }
      const [{ bytes }] = await troupe.genes.list();
      const added = [];
      for (let round = 0; round <= ROUNDS; round++) {
        for (const mind of minds) {
          const missed = await firstToken(mind, `${round} missed`, bytes);
          const found = await firstToken(mind, `${round} found`, 0);
          // The first round is the first use of everything.
          if (round > 0) added.push(missed - found);
        }
      }
      return { added, bytes };
    });
    const copy = median(await copyTimes(bytes, 25));
    const ratios = added.map((ms) => ms / copy);
    const [from, to] = spread(ratios);
    report({
      figure: 'miss',
      value: median(ratios),
      unit: '',
      bar: 1.5,
      better: 'lower',
      spread: [from, to],
      note: `${median(added).toFixed(2)} ms added, ${copy.toFixed(2)} ms to copy ${(bytes / 1e6).toFixed(1)} MB; ${added.length} pairs`,
    });
  },
};

/** Milliseconds from the call to the first token beside those of the model, of a turn in a room of its own. */
async function firstToken(mind, room, bytes) {
  const result = await mind.turn('Speak.', { room, maxTokens: 1 }).result;
  expectTurn(result, { outcomes: ['length', 'stop'] });
  const { genesMissed, firstPieceMs, runs } = result.receipt;
  if (genesMissed.bytes !== bytes)
    throw new Error(`${genesMissed.bytes} bytes of genes were missed, not ${bytes}`);
  return firstPieceMs - runs[0].promptMs;
}
