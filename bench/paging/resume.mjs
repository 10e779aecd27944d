/**
 * What a page spares: the prompt of 2,000 tokens, against that page brought in and one more token of the reply, as a turn does
 * that lost its lane; and the prompt tokens that a room's next turn processes beyond its new ones.
 */
import { RowOutput } from '../../dist/native/addon.js';
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median, spread } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { ONE_THREAD } from '../serving/settings.mjs';
import { messageOf } from '../serving/words.mjs';
import { ADDON, PROMPT_ROWS, withLanes } from './lane-copies.mjs';

const TOKENS = 2_000;
const ROUNDS = 3;

const resume = {
  figures: ['resume'],
  async run({ say, report }) {
    const rounds = await withLanes({ say, lanes: 1, tokens: TOKENS }, (context) => {
      context.clear(0);
      return Array.from({ length: ROUNDS }, () => measure(context));
    });
    const ratios = rounds.map(({ prompt, page }) => prompt / page);
    const ms = (part) => median(rounds.map((round) => round[part])).toFixed(0);
    report({
      ...{ figure: 'resume', value: median(ratios), unit: '', bar: 100, better: 'higher' },
      spread: spread(ratios),
      note: `${ms('prompt')} ms to read ${TOKENS} tokens, ${ms('page')} ms to bring them in and decode one; ${ROUNDS} rounds`,
    });
  },
};

/** Milliseconds until the first token after the prompt is there, by reading the prompt and from its page. */
function measure(context) {
  const decode = () => step(context, TOKENS, 1, RowOutput.logits);
  let prompt = timed(() => {
    for (let from = 0; from < TOKENS; from += PROMPT_ROWS) {
      step(context, from, Math.min(PROMPT_ROWS, TOKENS - from), RowOutput.none);
    }
  });
  const page = context.pageOut(0, []);
  const back = timed(() => {
    context.pageIn(0, page);
    decode();
  });
  ADDON.pages.release(page);
  // The same token as at the end of the prompt.
  context.cut(0, TOKENS);
  prompt += timed(decode);
  context.clear(0);
  return { prompt, page: back };
}

function step(context, from, count, output) {
  const rows = Array.from({ length: count }, (_, i) => [100 + ((from + i) % 1000), 0, from + i, output]);
  const status = context.step(Int32Array.from(rows.flat()), count, new Int32Array(1));
  if (status !== 0) throw new Error(`a step failed: ${context.failure()}`);
}

function timed(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const CONTEXT = 1_024;
const WORDS = 500;

/** The same conversation twice: one room is paged between its turns, the other stays where it is. */
const newTokens = {
  figures: ['new-tokens'],
  async run({ say, report }) {
    const { model } = await benchModel({ say });
    const options = { model, lanes: 2, context: CONTEXT, threads: ONE_THREAD };
    const [stays, paged] = await withTroupe(options, async (troupe) => {
      const taken = [];
      for (const name of ['stays', 'paged']) {
        const mind = await troupe.mind(name, { sampling: GREEDY });
        await answer(mind, messageOf(WORDS, name));
        if (name === 'paged') await mind.pageOut();
        taken.push(await answer(mind, 'And then?'));
      }
      return taken;
    });
    if (paged.pagedIn.bytes === 0) throw new Error('nothing was brought in');
    report({
      ...{ figure: 'new-tokens', value: paged.processed - stays.processed, unit: 'tokens', bar: 0 },
      better: 'lower',
      note: `${paged.processed} processed after a page in of ${paged.reused} tokens, ${stays.processed} in a room that stayed`,
    });
  },
};

async function answer(mind, message) {
  const result = await mind.turn(message, { maxTokens: 8 }).result;
  expectTurn(result, { outcomes: ['length'] });
  return result.receipt.runs[0];
}

export const resumes = [resume, newTokens];
