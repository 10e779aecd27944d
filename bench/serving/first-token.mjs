/**
 * What the path adds to the first token: from `turn()` to the first piece on an idle runtime, less the same tokens
 * tokenised, decoded and sampled by direct calls, alternating.
 */
import { StepStatus } from '../../dist/native/addon.js';
import { loadAddon } from '../../dist/native/load.js';
import { expectTurn, GREEDY, withTroupe } from '../harness/stage.mjs';
import { median, spread } from '../harness/statistics.mjs';
import { EMBEDDED, ONE_THREAD } from './settings.mjs';
import { messageOf, promptOf } from './words.mjs';

const PROMPT_TOKENS = 50;
const SAMPLES = 100;
const WARM_UP = 10;
const CONTEXT = 512;
const LANES = 4;
const SAMPLE = 1;
const DIRECT = { seed: 0, topK: 0, topP: 1, minP: 0, repeatLast: 0, ...GREEDY };

export const firstToken = {
  figures: ['first-token'],
  async run({ report }) {
    const message = messageOf(PROMPT_TOKENS);
    const options = { model: EMBEDDED, lanes: LANES, context: CONTEXT, threads: ONE_THREAD };
    const [turns, direct] = await withTroupe(options, (troupe) => measure(troupe, message));
    report({
      figure: 'first-token',
      value: median(turns) - median(direct),
      unit: 'ms',
      bar: 2,
      better: 'lower',
      note: `p50 of turns ${median(turns).toFixed(2)} ms, of direct calls ${median(direct).toFixed(2)} ms; half of the turns ${spread(
        turns,
      )
        .map((ms) => ms.toFixed(2))
        .join(' to ')} ms`,
    });
  },
};

async function measure(troupe, message) {
  const turns = [];
  const direct = [];
  const call = directCall(message);
  try {
    for (let sample = -WARM_UP; sample < SAMPLES; sample++) {
      const directMs = call.once();
      const turnMs = await firstPiece(troupe, `mind-${sample}`, message);
      if (sample < 0) continue;
      direct.push(directMs);
      turns.push(turnMs);
    }
  } finally {
    call.close();
  }
  return [turns, direct];
}

async function firstPiece(troupe, name, message) {
  const mind = await troupe.mind(name, { sampling: GREEDY });
  const called = performance.now();
  const turn = mind.turn(message, { maxTokens: 8 });
  let ms;
  for await (const _ of turn) {
    ms = performance.now() - called;
    break;
  }
  expectTurn(await turn.result, { outcomes: ['aborted', 'length', 'stop'], processed: PROMPT_TOKENS });
  await mind.leave();
  return ms;
}

function directCall(message) {
  const model = loadAddon().loadModel({ path: EMBEDDED, mmap: false, gpuLayers: 0 });
  const context = model.context({
    lanes: LANES,
    cells: LANES * CONTEXT,
    rows: CONTEXT,
    threads: ONE_THREAD,
    promptThreads: ONE_THREAD,
    flashAttention: true,
  });
  const sampled = new Int32Array(LANES);
  const once = () => {
    context.clear(0);
    context.setSampler(0, DIRECT, new Int32Array(0));
    const called = performance.now();
    const tokens = promptOf(model, message);
    const rows = Int32Array.from({ length: 4 * tokens.length }, (_, i) => {
      const row = i >> 2;
      return [tokens[row], 0, row, row === tokens.length - 1 ? SAMPLE : 0][i & 3];
    });
    if (context.step(rows, tokens.length, sampled) !== StepStatus.ok)
      throw new Error('the direct step failed');
    return performance.now() - called;
  };
  return {
    once,
    close() {
      context.close();
      model.close();
    },
  };
}
