/**
 * What a gene in each row adds to a step, by the two forms that genes have: our own node, for weights in host memory, and
 * stacks, for all others. On models of four layers, so that the genes of sixteen rows are more than caches hold.
 *
 * The steps of all sides take turns, and each side's time is that of its tenth least disturbed ones. No bars: which form a
 * weight has is its place, and this says what that costs.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROW_FIELDS, RowOutput, StepStatus } from '../../dist/native/addon.js';
import { loadAddon } from '../../dist/native/load.js';
import { ownProcessorTimeUs } from '../harness/processor.mjs';
import { quantile } from '../harness/statistics.mjs';
import { writeAdapter, writeModel } from '../models/model.mjs';

const LAYERS = 4;
const WIDTHS = [1024, 2048];
const QUANTISATIONS = ['Q8_0', 'Q4_0'];
const RANKS = [8, 16, 64];
const ROWS = [1, 2, 4, 8, 16];
const MOST_ROWS = Math.max(...ROWS);
/** What the value of a figure is; the others stand beside it. */
const SHOWN_ROWS = 8;
const STEPS = 30;
const LEAST_DISTURBED = 0.1;
/** Before them: the first builds the graph, and the next ones still fill caches. */
const WARM_UP = 3;
const CELLS_PER_LANE = 64;

const shapeOf = (width) => ({
  width,
  layers: LAYERS,
  heads: width / 64,
  kvHeads: width / 128,
  headSize: 64,
  ffn: 3 * width,
  vocabulary: 8_192,
  context: 1_024,
});

export const form = {
  figures: ['form'],
  async run({ say, report }) {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-form-'));
    try {
      for (const width of WIDTHS) {
        const adapters = RANKS.map((rank) => adapterOf(folder, width, rank));
        for (const quantisation of QUANTISATIONS) {
          say(`form: ${LAYERS} layers, d ${width}, ${quantisation}`);
          const path = join(folder, 'model.gguf');
          writeModel(path, shapeOf(width), quantisation);
          for (const row of measure(path, adapters)) report(figureOf({ width, quantisation, ...row }));
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function adapterOf(folder, width, rank) {
  const path = join(folder, `adapter-${width}-${rank}.gguf`);
  writeAdapter(path, shapeOf(width), { rank, alpha: rank }, 0);
  return { rank, bytes: readFileSync(path) };
}

function figureOf({ width, quantisation, rank, form, added, base }) {
  const at = (times, i) => times[i].toFixed(2);
  return {
    figure: 'form',
    value: added[ROWS.indexOf(SHOWN_ROWS)],
    unit: 'ms',
    bar: null,
    better: 'lower',
    note:
      `${form}, ${quantisation}, d ${width}, rank ${rank}: ` +
      ROWS.map((rows, i) => `${rows} rows ${at(added, i)} beside ${at(base, i)}`).join(', '),
  };
}

/** For each rank and form: milliseconds of a step by rows without genes, and what one gene each adds to that. */
function measure(path, adapters) {
  const load = (geneForm) => loadAddon().loadModel({ path, mmap: false, gpuLayers: 0, geneForm });
  const models = { node: load('place'), stacks: load('stacks') };
  try {
    return adapters.flatMap(({ rank, bytes }) => measureRank(models, rank, bytes));
  } finally {
    for (const model of Object.values(models)) model.close();
  }
}

function measureRank(models, rank, bytes) {
  const sides = [{ context: open(models.node) }];
  for (const [name, model] of Object.entries(models)) {
    const genes = Array.from(
      { length: MOST_ROWS },
      (_, i) => model.loadGene(bytes, { path: 'adapter', hash: `${rank} ${i}` }).id,
    );
    const context = open(model);
    for (const [lane, gene] of genes.entries()) context.setGenes(lane, [{ gene, scale: 1 }]);
    sides.push({ name, model, genes, context });
  }
  const times = ROWS.map((rows) => timesOf(sides, rows));
  for (const { model, genes = [], context } of sides) {
    context.close();
    for (const gene of genes) model.unloadGene(gene);
  }
  const base = times.map(([first]) => first);
  return sides.slice(1).map(({ name }, i) => ({
    rank,
    form: name,
    base,
    added: times.map((each) => each[i + 1] - each[0]),
  }));
}

const open = (model) =>
  model.context({
    lanes: MOST_ROWS,
    cells: MOST_ROWS * CELLS_PER_LANE,
    rows: MOST_ROWS,
    threads: 1,
    promptThreads: 1,
    flashAttention: true,
  });

/** Each side's milliseconds of a step of so many rows. */
function timesOf(sides, rows) {
  const taken = sides.map(() => []);
  for (const { context } of sides) {
    for (let lane = 0; lane < MOST_ROWS; lane++) context.clear(lane);
  }
  for (let number = -WARM_UP; number < STEPS; number++) {
    for (const [side, { context }] of sides.entries()) {
      const ms = step(context, rows);
      if (number >= 0) taken[side].push(ms);
    }
  }
  return taken.map((each) => quantile(each, LEAST_DISTURBED));
}

function step(context, count) {
  const rows = new Int32Array(ROW_FIELDS * count);
  for (let lane = 0; lane < count; lane++) {
    rows.set([5 + lane, lane, context.length(lane), RowOutput.logits], ROW_FIELDS * lane);
  }
  const sampled = new Int32Array(count);
  const from = ownProcessorTimeUs();
  const status = context.step(rows, count, sampled);
  if (status !== StepStatus.ok) throw new Error(`a step ended with status ${status}`);
  return (ownProcessorTimeUs() - from) / 1000;
}
