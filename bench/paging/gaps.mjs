/**
 * What one mind's moves do to the others' steps: three minds decode while a fourth, of 2,000 tokens, is paged out and in
 * without a pause, or spilled to disk again and again. Stretches with and without moves take turns.
 */
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { quantile } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { MESSAGE, ONE_THREAD } from '../serving/settings.mjs';
import { messageOf } from '../serving/words.mjs';

const TOKENS = 2_000;
const DECODING = 3;
const CONTEXT = 3_072;
const STRETCHES = 6;
/** Pieces of each decoding mind in a stretch. */
const PIECES = 50;
const BAR = 1.3;

/** What the fourth mind does once; answers what the engine copied for it, each between two of its steps. */
const MOVES = {
  'page-gap': async (mind) => [await copied(() => mind.pageOut()), await copied(() => mind.pageIn())],
  'spill-gap': async (mind) => {
    await mind.spill();
    return [];
  },
};

/** A move that took `ms` between `from` and `to`. */
async function copied(move) {
  const from = performance.now();
  const { ms } = await move();
  return { ms, from, to: performance.now() };
}

const gap = (figure) => ({
  figures: [figure],
  async run({ say, report }) {
    const { model } = await benchModel({ say });
    const options = { model, lanes: DECODING + 1, context: CONTEXT, threads: ONE_THREAD };
    const seen = await withTroupe(options, async (troupe) => {
      const mover = await troupe.mind('mover', { sampling: GREEDY });
      say(`processing ${TOKENS} tokens`);
      expectTurn(await mover.turn(messageOf(TOKENS), { maxTokens: 1 }).result, { outcomes: ['length'] });
      // Out of its lane once: from then on a spill is of its page alone.
      await mover.pageOut();
      if (figure === 'page-gap') await mover.pageIn();
      return measure(troupe, () => MOVES[figure](mover), say);
    });
    const p95 = (gaps) => quantile(gaps, 0.95);
    const [disturbed, undisturbed] = [p95(seen.disturbed), p95(seen.undisturbed)];
    report({
      ...{ figure, value: disturbed / undisturbed, unit: '', bar: BAR, better: 'lower' },
      note: `p95 of ${seen.disturbed.length} gaps ${disturbed.toFixed(1)} ms over ${seen.moves} moves, of ${seen.undisturbed.length} undisturbed ${undisturbed.toFixed(1)} ms`,
    });
  },
});

export const gaps = [gap('page-gap'), gap('spill-gap')];

async function measure(troupe, move, say) {
  const decoders = [];
  for (let i = 0; i < DECODING; i++)
    decoders.push(decode(await troupe.mind(`decoder-${i}`, { sampling: GREEDY })));
  const settle = async (pieces) => {
    const goals = decoders.map(({ times }) => times.length + pieces);
    while (decoders.some(({ times }, i) => times.length < goals[i])) await pause();
    return performance.now();
  };
  const seen = { disturbed: [], undisturbed: [], moves: 0 };
  await settle(PIECES);
  for (let stretch = 0; stretch < STRETCHES; stretch++) {
    say(`stretch ${stretch + 1} of ${STRETCHES}`);
    const from = await settle(2);
    const to = await settle(PIECES);
    for (const { times } of decoders) seen.undisturbed.push(...lengths(gapsOf(times, from, to)));
    const copies = [];
    let moving = true;
    const mover = (async () => {
      for (; moving; seen.moves++) copies.push(...(await move()));
    })();
    const begun = await settle(2);
    const ended = await settle(PIECES);
    moving = false;
    await mover;
    for (const { times } of decoders) {
      seen.disturbed.push(...lengths(withoutCopies(gapsOf(times, begun, ended), copies)));
    }
  }
  for (const { finish } of decoders) await finish();
  return seen;
}

/** Gaps between neighbouring times, of those within `from` and `to`. */
function gapsOf(times, from, to) {
  return times.slice(1).flatMap((time, i) => {
    return times[i] >= from && time <= to ? [{ from: times[i], to: time, ms: time - times[i] }] : [];
  });
}

/**
 * The copies themselves taken off: each from the longest gap that it can have been in. Its answer and the piece of the step
 * after it come by different ways, so that step's gap may begin after the answer.
 */
function withoutCopies(gaps, copies) {
  const left = gaps.map((gap) => ({ ...gap }));
  for (const copy of copies) {
    const at = left.findIndex(({ from }) => from > copy.to);
    const around = left.slice(0, at < 0 ? left.length : at + 1).filter(({ to }) => to > copy.from);
    const longest = around.reduce((most, gap) => (gap.ms > (most?.ms ?? copy.ms) ? gap : most), undefined);
    if (longest !== undefined) longest.ms -= copy.ms;
  }
  return left;
}

const lengths = (gaps) => gaps.map(({ ms }) => ms);
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

function decode(mind) {
  const turn = mind.turn(MESSAGE, { maxTokens: CONTEXT - 256 });
  const times = [];
  const reading = (async () => {
    for await (const _ of turn) times.push(performance.now());
  })();
  const finish = async () => {
    turn.cancel();
    await reading;
    expectTurn(await turn.result, { outcomes: ['aborted'] });
  };
  return { times, finish };
}
