/**
 * What it does to minds that decode when genes of others go to disk for their memory, and come back: two minds, each under a
 * gene of its own, and six genes that nobody runs, 15 MB each.
 */
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { quantile } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { MESSAGE, ONE_THREAD } from '../serving/settings.mjs';

const DECODING = 2;
const IDLE = 6;
const CONTEXT = 2_048;
/** Slices of either kind take turns, each as long as so many pieces of every mind. */
const ROUNDS = 6;
const PIECES = 40;
/** The first pieces of a slice belong to neither kind. */
const SETTLE_PIECES = 2;

export const relief = {
  figures: ['relief'],
  async run({ say, report }) {
    const { model, adapters } = await benchModel({ say });
    const options = { model, lanes: DECODING, context: CONTEXT, threads: ONE_THREAD };
    const { alone, beside, moves, bytes } = await withTroupe(options, (troupe) => measure(troupe, adapters));
    const [quiet, disturbed] = [alone, beside].map((gaps) => quantile(gaps, 0.95));
    report({
      figure: 'relief',
      value: disturbed / quiet,
      unit: '',
      bar: 1.3,
      better: 'lower',
      note: `p95 of ${beside.length} gaps ${disturbed.toFixed(1)} ms, of ${alone.length} undisturbed ${quiet.toFixed(1)} ms; ${moves} genes of ${(bytes / 1e6).toFixed(1)} MB out and in`,
    });
  },
};

async function measure(troupe, adapters) {
  const names = adapters.slice(0, DECODING + IDLE).map((_, i) => `gene-${i}`);
  for (const [i, name] of names.entries()) await troupe.genes.load(adapters[i], { name });
  const idle = names.slice(DECODING);
  const [{ bytes }] = await troupe.genes.list();
  const asker = await troupe.actor('asker', new URL('./asker.mjs', import.meta.url));
  const decoders = [];
  for (const gene of names.slice(0, DECODING)) {
    const mind = await troupe.mind(gene, { sampling: GREEDY, genes: [{ gene, scale: 1 }] });
    decoders.push(decode(mind));
  }
  let moves = 0;
  const outAndIn = async () => {
    const answer = await asker.ask({ type: 'ask', bytes: IDLE * bytes }, { deadlineMs: 120_000 });
    if (answer.outcome !== 'released' || answer.bytes !== IDLE * bytes)
      throw new Error(`${answer.bytes} bytes of ${IDLE * bytes} came free: ${answer.outcome}`);
    for (const gene of idle) await troupe.genes.pageIn(gene);
    moves += IDLE;
  };
  const seen = { alone: [], beside: [] };
  for (let round = 0; round < ROUNDS; round++) {
    seen.alone.push(...(await slice(decoders, pause)));
    seen.beside.push(...(await slice(decoders, outAndIn)));
  }
  for (const { finish } of decoders) await finish();
  return { ...seen, moves, bytes };
}

/** Does something again and again until every mind has said so many pieces; answers the gaps between them. */
async function slice(decoders, work) {
  const said = (pieces) => decoders.every(({ times }, i) => times.length >= from[i] + pieces);
  const from = decoders.map(({ times }) => times.length);
  while (!said(SETTLE_PIECES)) await work();
  const began = performance.now();
  while (!said(SETTLE_PIECES + PIECES)) await work();
  const ended = performance.now();
  return decoders.flatMap(({ times }) =>
    times.slice(1).flatMap((time, i) => (times[i] >= began && time <= ended ? [time - times[i]] : [])),
  );
}

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
    // One that had ended by itself would have left the other alone.
    expectTurn(await turn.result, { outcomes: ['aborted'] });
  };
  return { times, finish };
}
