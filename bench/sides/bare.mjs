/**
 * A side: a bare loop in one process, the same batch through `llama_decode` again and again, no sampling.
 *
 * `stepsPerRound`: after so many steps the lanes are cleared and begin again at position 0, as llama-batched-bench
 * does; without it they go on behind the prompt.
 * `busy`: the lanes that decode, of as many as the highest of them asks for; unless given the first `minds`.
 * `phenotypes`: what each of these runs, as lists of `{ adapter, scale }`, `adapter` being a file; several take turns, one a
 * step. `loaded`: so many genes are loaded before that nobody runs.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { ROW_FIELDS, RowOutput, StepStatus } from '../../dist/native/addon.js';
import { loadAddon } from '../../dist/native/load.js';
import { drive, options } from '../harness/driver.mjs';
import { Tally } from '../harness/tally.mjs';

const STEPS_PER_TURN = 8;

const given = options();
const { model: path, minds, cells, rows, threads, flashAttention, prompt, stepsPerRound } = given;
const busy = given.busy ?? Array.from({ length: minds }, (_, lane) => lane);
const model = loadAddon().loadModel({ path, mmap: false, gpuLayers: 0 });
const count = Math.max(...busy) + 1;
const lanes = model.context({ lanes: count, cells, rows, threads, promptThreads: threads, flashAttention });
const batch = new Int32Array(ROW_FIELDS * rows);
const sampled = new Int32Array(rows);

function step(count) {
  const status = lanes.step(batch, count, sampled);
  if (status !== StepStatus.ok) throw new Error(`the bare loop's step ended with status ${status}`);
}

const put = (row, token, lane, position, output) =>
  batch.set([token, lane, position, output], ROW_FIELDS * row);

/** Brings the prompt into every lane. Answers the position behind it. */
function prefill() {
  const tokens = model.tokenize(prompt, { special: true, continues: false });
  for (const lane of busy) {
    for (let at = 0; at < tokens.length; at += rows) {
      const chunk = tokens.subarray(at, at + rows);
      for (const [row, token] of chunk.entries()) put(row, token, lane, at + row, RowOutput.none);
      step(chunk.length);
    }
  }
  return tokens.length;
}

const loaded = new Map();
function idOf(adapter) {
  if (!loaded.has(adapter)) {
    loaded.set(adapter, model.loadGene(readFileSync(adapter), { path: adapter, hash: adapter }).id);
  }
  return loaded.get(adapter);
}
for (let copy = 0; copy < (given.loaded ?? 0); copy++) {
  const adapter = given.phenotypes[0][0][0].adapter;
  model.loadGene(readFileSync(adapter), { path: adapter, hash: `copy ${copy}` });
}
const turns = (given.phenotypes ?? []).map((lanes) =>
  lanes.map((genes) => genes.map(({ adapter, scale }) => ({ gene: idOf(adapter), scale }))),
);
function dress(turn) {
  for (const [i, genes] of turns[turn % turns.length].entries()) lanes.setGenes(busy[i], genes);
}
if (turns.length > 0) dress(0);

const first = stepsPerRound ? 0 : prefill();
const tally = new Tally(minds);

await drive({ prompt: first }, async (finished) => {
  let position = first;
  let token = 0;
  for (let steps = 0; !finished(); steps++) {
    if (stepsPerRound && position === stepsPerRound) {
      for (const lane of busy) lanes.clear(lane);
      position = 0;
    }
    for (const [row, lane] of busy.entries()) {
      token = (token * 1103515245 + 12345) & 0xfff;
      put(row, token, lane, position, RowOutput.logits);
    }
    if (turns.length > 1) dress(steps);
    step(minds);
    position++;
    for (let mind = 0; mind < minds; mind++) tally.add(mind);
    if (steps % STEPS_PER_TURN === 0) await turn();
  }
  const lengths = busy.map((lane) => lanes.length(lane));
  const right = lengths.every((length) => length === position);
  return { samples: tally.samples(), verified: right || `lanes hold ${lengths} tokens, not ${position}` };
});
