/**
 * A relaunch with eight minds of 1,000 tokens in their lanes: their way out, the new context, and their way in again when each
 * speaks next, against what reading their prompts took.
 */
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { benchModel } from '../models/make.mjs';
import { ONE_THREAD } from '../serving/settings.mjs';
import { messageOf } from '../serving/words.mjs';

const MINDS = 8;
const TOKENS = 1_000;
const CONTEXT = 1_536;

export const relaunches = {
  figures: ['relaunch'],
  async run({ say, report }) {
    const { model } = await benchModel({ say });
    const options = { model, lanes: MINDS, context: CONTEXT, threads: ONE_THREAD };
    const { read, relaunched, back } = await withTroupe(options, (troupe) => measure(troupe, say));
    report({
      ...{ figure: 'relaunch', value: (relaunched + back) / read, unit: '', bar: 0.1, better: 'lower' },
      note: `${relaunched.toFixed(0)} ms for the relaunch and ${back.toFixed(0)} ms for ${MINDS} ways in, ${read.toFixed(0)} ms to read ${MINDS} prompts of ${TOKENS} tokens`,
    });
  },
};

/** Milliseconds of wall clock. */
async function measure(troupe, say) {
  const minds = [];
  let read = 0;
  for (let i = 0; i < MINDS; i++) {
    say(`reading prompt ${i + 1} of ${MINDS}`);
    minds.push(await troupe.mind(`mind-${i}`, { sampling: GREEDY }));
    read += (await answer(minds[i], messageOf(TOKENS, `Number ${i}`))).promptMs;
  }
  const called = performance.now();
  await troupe.relaunch({ lanes: MINDS, context: CONTEXT + 256 });
  const relaunched = performance.now() - called;
  let back = 0;
  for (const mind of minds) {
    const { pagedIn, reused } = await answer(mind, 'And then?');
    if (pagedIn.bytes === 0 || reused < TOKENS) throw new Error(`${mind.name} did not come back from a page`);
    back += pagedIn.ms;
  }
  return { read, relaunched, back };
}

async function answer(mind, message) {
  const result = await mind.turn(message, { maxTokens: 4 }).result;
  expectTurn(result, { outcomes: ['length'] });
  return result.receipt.runs[0];
}
