/**
 * How soon a lane is free that is wanted back: from the message to the mind until its caller has the end of the turn, of which
 * 2,000 tokens have gone into a page by then. Against what one step takes, and a page out of the same room by itself.
 */
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { ONE_THREAD } from '../serving/settings.mjs';
import { messageOf } from '../serving/words.mjs';

const TOKENS = 2_000;
const CONTEXT = 3_328;
const ROUNDS = 8;
/** A lane is wanted back when so many pieces were read. */
const PIECES = 4;

export const reclaim = {
  figures: ['reclaim'],
  async run({ say, report }) {
    const { model } = await benchModel({ say });
    const options = { model, lanes: 1, context: CONTEXT, threads: ONE_THREAD };
    const rounds = await withTroupe(options, (troupe) => measure(troupe, say));
    const [free, step, out] = ['free', 'step', 'out'].map((what) =>
      median(rounds.map((round) => round[what])),
    );
    report({
      ...{ figure: 'reclaim', value: free / (out + step), unit: '', bar: 1.5, better: 'lower' },
      note: `${free.toFixed(1)} ms until the lane was free; a step ${step.toFixed(1)} ms, a page out ${out.toFixed(1)} ms`,
    });
  },
};

/** Milliseconds of wall clock. */
async function measure(troupe, say) {
  const mind = await troupe.mind('mind', { sampling: GREEDY });
  const wanter = await troupe.actor('wanter', new URL('./wanter.mjs', import.meta.url));
  say(`reading a prompt of ${TOKENS} tokens`);
  expectTurn(await mind.turn(messageOf(TOKENS), { maxTokens: 1 }).result, { outcomes: ['length'] });
  // The mind's number of each request for a lane, which a reclaim names.
  let ticket = 1;
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const whole = await mind.turn('Go on.', { maxTokens: 1 + PIECES }).result;
    expectTurn(whole, { outcomes: ['length'] });
    const [{ decodeMs }] = whole.receipt.runs;
    const { ms: out } = await mind.pageOut();
    ticket += 2;
    const free = await takeBack(mind, { wanter, ticket });
    rounds.push({ free, step: decodeMs / PIECES, out });
  }
  return rounds;
}

async function takeBack(mind, { wanter, ticket }) {
  const turn = mind.turn('Go on.', { maxTokens: 100, onReclaim: 'end' });
  let pieces = 0;
  let begun = 0;
  for await (const _ of turn) {
    if (++pieces !== PIECES) continue;
    begun = performance.now();
    wanter.tell({ type: 'want', mind: mind.id, ticket });
  }
  const ended = performance.now();
  expectTurn(await turn.result, { outcomes: ['reclaimed'] });
  return ended - begun;
}
