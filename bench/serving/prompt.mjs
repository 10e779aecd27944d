/**
 * What a long prompt does to those who decode, and they to it: four minds decode while a fifth brings 2,000 tokens.
 */
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median, quantile } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { MESSAGE, ONE_THREAD } from './settings.mjs';
import { messageOf } from './words.mjs';

const PROMPT_TOKENS = 2000;
const DECODING = 4;
const CONTEXT = 3072;
/** Of each mind, before and after the prompt. */
const UNDISTURBED_PIECES = 50;
const TRIALS = 2;

export const prompt = {
  figures: ['prompt-stall', 'prompt-cost'],
  async run({ say, report }) {
    const { model } = await benchModel({ say });
    const options = { model, lanes: DECODING + 1, context: CONTEXT, threads: ONE_THREAD };
    const seen = { alone: [], beside: [], undisturbed: [], disturbed: [] };
    await withTroupe(options, async (troupe) => {
      for (let trial = 0; trial < TRIALS; trial++) {
        say(`a long prompt alone and beside ${DECODING} minds, ${trial + 1} of ${TRIALS}`);
        await measure(troupe, trial, seen);
      }
    });
    const gapMs = median(seen.undisturbed);
    const stallMs = quantile(seen.disturbed, 0.99);
    report({
      figure: 'prompt-stall',
      value: stallMs / gapMs,
      unit: 'ratio',
      bar: 2.5,
      better: 'lower',
      note: `p99 of ${seen.disturbed.length} gaps ${stallMs.toFixed(0)} ms, p50 of ${seen.undisturbed.length} undisturbed ${gapMs.toFixed(0)} ms`,
    });
    const [alone, beside] = [median(seen.alone), median(seen.beside)];
    report({
      figure: 'prompt-cost',
      value: beside / alone,
      unit: 'ratio',
      bar: 3,
      better: 'lower',
      note: `${(beside / 1000).toFixed(1)} s beside, ${(alone / 1000).toFixed(1)} s alone`,
    });
  },
};

/** One trial: the prompt alone, then four minds decoding undisturbed, with the prompt, and undisturbed again. */
async function measure(troupe, trial, seen) {
  seen.alone.push(await bringPrompt(troupe, `alone-${trial}`));
  const decoders = [];
  for (let i = 0; i < DECODING; i++) {
    decoders.push(decode(await troupe.mind(`decoder-${trial}-${i}`, { sampling: GREEDY })));
  }
  const settle = async (pieces) => {
    const goals = decoders.map(({ times }) => times.length + pieces);
    while (decoders.some(({ times }, i) => times.length < goals[i])) await pause();
    return performance.now();
  };
  const begun = await settle(2);
  const called = await settle(UNDISTURBED_PIECES);
  seen.beside.push(await bringPrompt(troupe, `beside-${trial}`));
  const answered = performance.now();
  const quiet = await settle(2);
  const ended = await settle(UNDISTURBED_PIECES);
  for (const { times, finish } of decoders) {
    await finish();
    seen.undisturbed.push(...gaps(times, begun, called), ...gaps(times, quiet, ended));
    seen.disturbed.push(...gaps(times, called, answered));
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Gaps between neighbouring times, of those that end between `from` and `to`. */
function gaps(times, from, to) {
  return times.slice(1).flatMap((time, i) => (time > from && time <= to ? [time - times[i]] : []));
}

/** Milliseconds from the turn to its first piece, every prompt row verified as processed. */
async function bringPrompt(troupe, name) {
  const mind = await troupe.mind(name, { sampling: GREEDY });
  const message = messageOf(PROMPT_TOKENS, name.startsWith('alone') ? 'Alone' : 'Beside');
  const called = performance.now();
  const turn = mind.turn(message, { maxTokens: 8 });
  let ms;
  for await (const _ of turn) {
    ms = performance.now() - called;
    break;
  }
  expectTurn(await turn.result, { outcomes: ['aborted', 'length'], processed: PROMPT_TOKENS });
  await mind.leave();
  return ms;
}

function decode(mind) {
  const turn = mind.turn(MESSAGE, { maxTokens: CONTEXT - 256 });
  const times = [];
  const reading = (async () => {
    for await (const _ of turn) times.push(performance.now());
  })();
  // A token of a random model may be the middle of a character, and shows with the next one.
  const finish = async () => {
    turn.cancel();
    await reading;
    const result = await turn.result;
    expectTurn(result, { outcomes: ['aborted'] });
    const produced = result.receipt.runs.reduce((sum, run) => sum + run.produced, 0);
    if (times.length < 0.9 * produced)
      throw new Error(`${times.length} pieces of ${produced} tokens were read`);
    await mind.leave();
  };
  return { times, finish };
}
