/**
 * How long a light mind waits on the one lane beside a mind that floods, against beside one that sends a turn at a time:
 * without genes, and with a gene each; and beside the latter what llama-server makes its clients wait.
 */
import { Random } from '../../dist/testing/random.js';
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median, spread } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { llamaPrograms } from '../peers/llama.mjs';
import { ADDRESS, startServer } from '../peers/server-process.mjs';
import { chat, ONE_THREAD, settings } from '../serving/settings.mjs';

/** Turns that the flood has called and that have not ended. */
const FLOOD = 8;
const HEAVY_REPLY = 24;
const LIGHT_REPLY = 4;
const ROUNDS = 5;
/** Of llama-server, whose light client waits for the whole flood: a round takes most of a minute. */
const SERVER_ROUNDS = 2;
const LIGHT_TURNS = 8;
/** The light mind rests for up to so many times as long as a heavy turn takes, so that it comes at any moment of one. */
const REST = 2;
const BAR = 2;

const messageOf = (number) => `Number ${number}, tell me of the king and his sons.`;

export const fair = {
  figures: ['fair', 'fair-genes', 'fair-genes-server'],
  async run({ say, report }) {
    const made = await benchModel({ say });
    const { server: program } = await llamaPrograms({ say });
    const options = settings({ model: made.model, minds: 1, threads: ONE_THREAD });
    const adapters = made.adapters.slice(0, 2);
    const figure = async (name, bar, withSide, most = ROUNDS) => {
      const rounds = await withSide((side) => compare(side, most));
      const ratios = rounds.map(({ flooded, polite }) => flooded / polite);
      const [flooded, polite] = ['flooded', 'polite'].map((of) => median(rounds.map((round) => round[of])));
      const note = `median wait ${flooded.toFixed(0)} ms beside ${FLOOD} turns at a time, ${polite.toFixed(0)} ms beside one; ${most} rounds of ${LIGHT_TURNS} turns`;
      report({
        figure: name,
        value: median(ratios),
        unit: 'ratio',
        bar,
        better: 'lower',
        spread: spread(ratios),
        note,
      });
    };
    await figure('fair', BAR, (use) => withMinds(options, [[], []], use));
    await figure('fair-genes', BAR, (use) =>
      withMinds(
        options,
        adapters.map((path) => [path]),
        use,
      ),
    );
    await figure(
      'fair-genes-server',
      null,
      (use) => withServer({ ...options, program, adapters }, use),
      SERVER_ROUNDS,
    );
  },
};

/** What a round made the light one wait, ms a turn, beside either kind of neighbour. `side`: turns that answer their wait. */
async function compare(side, most) {
  const began = performance.now();
  await side.heavy();
  const restMs = REST * (performance.now() - began);
  const rounds = [];
  for (let round = 0; round < most; round++) {
    // The same moments for both.
    const beside = (turns) => waitBeside(side, turns, new Random(round), restMs);
    const polite = await beside(1);
    rounds.push({ polite, flooded: await beside(FLOOD) });
  }
  return rounds;
}

async function waitBeside({ light, heavy }, turns, random, restMs) {
  let over = false;
  const neighbour = async () => {
    while (!over) await heavy();
  };
  const neighbours = Array.from({ length: turns }, neighbour);
  let waited = 0;
  for (let i = 0; i < LIGHT_TURNS; i++) {
    await new Promise((resolve) => setTimeout(resolve, random.fraction() * restMs));
    waited += await light();
  }
  over = true;
  await Promise.all(neighbours);
  return waited / LIGHT_TURNS;
}

function withMinds({ model, context, threads }, phenotypes, use) {
  return withTroupe({ model, lanes: 1, context, threads }, async (troupe) => {
    const [light, heavy] = await Promise.all(
      phenotypes.map(async (paths, i) => {
        const genes = paths.map((_, gene) => ({ gene: `gene-${i}-${gene}`, scale: 1 }));
        for (const [gene, path] of paths.entries())
          await troupe.genes.load(path, { name: `gene-${i}-${gene}` });
        return troupe.mind(`mind-${i}`, { sampling: GREEDY, genes });
      }),
    );
    let turns = 0;
    const turn = (mind, maxTokens) => async () => {
      const number = ++turns;
      const result = await mind.turn(messageOf(number), { room: `${number}`, maxTokens }).result;
      expectTurn(result, { outcomes: ['length'] });
      const { runs, totalMs } = result.receipt;
      return totalMs - runs.reduce((sum, { promptMs, decodeMs }) => sum + promptMs + decodeMs, 0);
    };
    return use({ light: turn(light, LIGHT_REPLY), heavy: turn(heavy, HEAVY_REPLY) });
  });
}

async function withServer(options, use) {
  const more = options.adapters.flatMap((adapter) => ['--lora', adapter]);
  let ending = false;
  const { port, end } = await startServer(options, [...more, '--lora-init-without-apply'], (code) => {
    if (!ending) throw new Error(`${options.program} ended with ${code}`);
  });
  let turns = 0;
  const turn = (client, count) => async () => {
    const body = JSON.stringify({
      ...{ prompt: chat(messageOf(++turns)), n_predict: count, temperature: 0, samplers: ['temperature'] },
      ...{ ignore_eos: true, cache_prompt: false },
      lora: options.adapters.map((_, id) => ({ id, scale: id === client ? 1 : 0 })),
    });
    const began = performance.now();
    const answered = await fetch(`http://${ADDRESS}:${port}/completion`, { method: 'POST', body });
    const { tokens_predicted: said, timings } = await answered.json();
    if (said !== count) throw new Error(`llama-server said ${said} tokens of ${count}`);
    return performance.now() - began - timings.prompt_ms - timings.predicted_ms;
  };
  try {
    return await use({ light: turn(0, LIGHT_REPLY), heavy: turn(1, HEAVY_REPLY) });
  } finally {
    ending = true;
    end();
  }
}
