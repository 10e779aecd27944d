/**
 * Minds with different genes against llama-server with an adapter a request: all are asked at once, and the time counts
 * until the last token of the last of them. Both sides stand idle while the other one works.
 */
import { availableParallelism } from 'node:os';
import { ownProcessorTimeUs, processorTimeUs } from '../harness/processor.mjs';
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median, spread } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { llamaPrograms } from '../peers/llama.mjs';
import { ADDRESS, startServer } from '../peers/server-process.mjs';
import { chat, ONE_THREAD, settings } from '../serving/settings.mjs';

const REPLY = 32;
const ROUNDS = 3;

/** Each other, so that nobody has its beginning processed already. */
const messageOf = (round, mind) => `Number ${mind} in round ${round}, tell me of the king and his sons.`;

const against = (minds, bar) => ({
  figures: [`server-${minds}`, `server-${minds}-processor`],
  async run({ say, report }) {
    const { server: program } = await llamaPrograms({ say });
    const made = await benchModel({ say });
    const adapters = made.adapters.slice(0, minds);
    const figure = async (name, threads, cost, bar) => {
      const options = { ...settings({ model: made.model, minds, threads }), program, adapters };
      const rounds = await withServer(options, (theirs) => withMinds(options, (ours) => turns(ours, theirs)));
      const rate = (side) => rounds.map((round) => (minds * REPLY) / round[side][cost]);
      const [ours, theirs] = [rate(0), rate(1)];
      const ratios = ours.map((each, i) => each / theirs[i]);
      const of = [ours, theirs].map((rates) => median(rates).toFixed(1)).join(' against ');
      const unit = cost === 'wall' ? `tokens a second, ${threads} threads` : 'tokens a processor second';
      report({
        ...{
          figure: name,
          value: median(ratios),
          unit: 'ratio',
          bar,
          better: 'higher',
          spread: spread(ratios),
        },
        note: `${of} ${unit}; ${ROUNDS} rounds`,
      });
    };
    await figure(`server-${minds}`, availableParallelism(), 'wall', bar);
    await figure(`server-${minds}-processor`, ONE_THREAD, 'processor', null);
  },
});

export const servers = [against(2, 1), against(8, 2)];

/** What a round took of each side, ours first: seconds of wall clock and of the processor. One more comes before. */
async function turns(ours, theirs) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const sides = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
    const taken = [];
    for (const side of sides) taken.push(await timed(side, round));
    rounds.push(round % 2 === 0 ? taken : taken.reverse());
  }
  return rounds.slice(1);
}

async function timed({ work, processorUs }, round) {
  const [from, processorFrom] = [performance.now(), processorUs()];
  await work(round);
  return { wall: (performance.now() - from) / 1e3, processor: (processorUs() - processorFrom) / 1e6 };
}

function withMinds({ model, minds, context, cells, threads, adapters }, use) {
  return withTroupe({ model, lanes: minds, context, cells, threads }, async (troupe) => {
    const present = [];
    for (const [mind, adapter] of adapters.entries()) {
      await troupe.genes.load(adapter, { name: `gene-${mind}` });
      const genes = [{ gene: `gene-${mind}`, scale: 1 }];
      present.push(await troupe.mind(`mind-${mind}`, { sampling: GREEDY, genes }));
    }
    const answer = async (mind, round) => {
      const turn = present[mind].turn(messageOf(round, mind), { room: `room-${round}`, maxTokens: REPLY });
      const result = await turn.result;
      expectTurn(result, { outcomes: ['length'] });
    };
    const work = (round) => Promise.all(present.map((_, mind) => answer(mind, round)));
    return use({ work, processorUs: ownProcessorTimeUs });
  });
}

async function withServer(options, use) {
  const more = options.adapters.flatMap((adapter) => ['--lora', adapter]);
  let ending = false;
  const { port, pid, end } = await startServer(options, [...more, '--lora-init-without-apply'], (code) => {
    if (!ending) throw new Error(`${options.program} ended with ${code}`);
  });
  const answer = async (mind, round) => {
    const body = JSON.stringify({
      prompt: chat(messageOf(round, mind)),
      n_predict: REPLY,
      temperature: 0,
      samplers: ['temperature'],
      ignore_eos: true,
      cache_prompt: false,
      lora: options.adapters.map((_, id) => ({ id, scale: id === mind ? 1 : 0 })),
    });
    const answered = await fetch(`http://${ADDRESS}:${port}/completion`, { method: 'POST', body });
    const { tokens_predicted: count } = await answered.json();
    if (count !== REPLY) throw new Error(`llama-server said ${count} tokens of ${REPLY}`);
  };
  const work = (round) => Promise.all(options.adapters.map((_, mind) => answer(mind, round)));
  try {
    return await use({ work, processorUs: () => processorTimeUs(pid) });
  } finally {
    ending = true;
    end();
  }
}
