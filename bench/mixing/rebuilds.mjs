/**
 * Graphs that are built, or room for them reserved, while sets and scales change at every step, beyond those while nothing
 * changes. A step that neither builds nor reserves uses the graph of the step before it, which llama.cpp counts.
 */
import { readFileSync } from 'node:fs';
import { ROW_FIELDS, RowOutput, StepStatus } from '../../dist/native/addon.js';
import { loadAddon } from '../../dist/native/load.js';
import { benchModel } from '../models/make.mjs';
import { ONE_THREAD, settings } from '../serving/settings.mjs';

const STEPS = 100;
const LANES = 2;
/** Before both: the first gene that a context runs builds, once. */
const WARM_UP = 2;

export const rebuilds = {
  figures: ['rebuilds'],
  async run({ say, report }) {
    const { model: path, adapters } = await benchModel({ say });
    const { cells, rows, flashAttention } = settings({ model: path, minds: LANES, threads: ONE_THREAD });
    const model = loadAddon().loadModel({ path, mmap: false, gpuLayers: 0 });
    const threads = { threads: ONE_THREAD, promptThreads: ONE_THREAD };
    const context = model.context({ lanes: LANES, cells, rows, ...threads, flashAttention });
    try {
      const ids = adapters.slice(0, 2).map((adapter) => {
        return model.loadGene(readFileSync(adapter), { path: adapter, hash: adapter }).id;
      });
      const sets = [[], [0], [1], [0, 1]].map((genes) => genes.map((gene) => ids[gene]));
      const constant = built(context, () => [{ gene: ids[0], scale: 1 }]);
      const changing = built(context, (step, lane) =>
        sets[(step + lane) % sets.length].map((gene) => ({ gene, scale: 1 + (step % 7) })),
      );
      const note = `${changing} of ${STEPS} steps with other sets and scales each, ${constant} with constant ones`;
      report({
        figure: 'rebuilds',
        value: changing - constant,
        unit: 'steps',
        bar: 0,
        better: 'lower',
        note,
      });
    } finally {
      context.close();
      model.close();
    }
  },
};

/** How many of the steps did not use the graph before them, each lane with what `genesOf(step, lane)` says. */
function built(context, genesOf) {
  const rows = new Int32Array(ROW_FIELDS * LANES);
  let reused = 0;
  // A graph also changes when the KV grows by a block of cells: both begin with empty lanes.
  for (let lane = 0; lane < LANES; lane++) context.clear(lane);
  for (let step = -WARM_UP; step < STEPS; step++) {
    if (step === 0) reused = context.reused();
    for (let lane = 0; lane < LANES; lane++) {
      context.setGenes(lane, genesOf(step + WARM_UP, lane));
      rows.set([5 + lane, lane, context.length(lane), RowOutput.logits], ROW_FIELDS * lane);
    }
    const status = context.step(rows, LANES, new Int32Array(LANES));
    if (status !== StepStatus.ok) throw new Error(`a step ended with status ${status}`);
  }
  return STEPS - (context.reused() - reused);
}
