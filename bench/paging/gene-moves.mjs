/**
 * A gene of 15 MB out of the device and in again, against a memcpy of as many bytes; and in from the host, against loading
 * its file, which the system has in its cache. In stacks all of it is copied; beside weights in host memory none is.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadAddon } from '../../dist/native/load.js';
import { median, spread } from '../harness/statistics.mjs';
import { benchModel } from '../models/make.mjs';
import { copyTimes } from './copies.mjs';

/** Rounds, and moves and copies in each: what a busy neighbour spoils it spoils on both sides. */
const ROUNDS = 9;
const MOVES = 5;

export const geneMoves = {
  figures: ['gene-out', 'gene-in', 'gene-file', 'gene-out-stacks', 'gene-in-stacks', 'gene-file-stacks'],
  async run({ say, report }) {
    const { model, adapters } = await benchModel({ say });
    await measure({ path: model, geneForm: 'place', adapter: adapters[0], report, suffix: '', isHeld: true });
    await measure({
      path: model,
      geneForm: 'stacks',
      adapter: adapters[0],
      report,
      suffix: '-stacks',
      isHeld: false,
    });
  },
};

/** The figures of one form. `isHeld`: they are held against bars. */
async function measure({ path, geneForm, adapter, report, suffix, isHeld }) {
  const model = loadAddon().loadModel({ path, mmap: false, gpuLayers: 0, geneForm });
  const load = () => {
    const bytes = readFileSync(adapter);
    const hash = createHash('sha256').update(bytes).digest('hex');
    return model.loadGene(bytes, { path: adapter, hash });
  };
  const { id, bytes } = load();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const copy = median(await copyTimes(bytes, MOVES));
    const moves = Array.from({ length: MOVES }, () => ({
      out: timed(() => model.moveGene(id, 'host')),
      back: timed(() => model.moveGene(id, 'device')),
    }));
    model.moveGene(id, 'disk');
    const file = timed(load);
    const out = median(moves.map((move) => move.out));
    const back = median(moves.map((move) => move.back));
    rounds.push({ copy, out, back, file });
  }
  model.unloadGene(id);
  model.close();
  const figure = (name, bar, of, against, what) => {
    const ratios = rounds.map((round) => round[of] / round[against]);
    const ms = (part) => median(rounds.map((round) => round[part])).toFixed(4);
    const note = `${(bytes / 1e6).toFixed(1)} MB in ${ms(of)} ms, ${what} in ${ms(against)}; ${ROUNDS} rounds`;
    report({
      figure: name + suffix,
      value: median(ratios),
      unit: '',
      bar: isHeld ? bar : null,
      better: 'lower',
      spread: spread(ratios),
      note,
    });
  };
  figure('gene-out', 1.3, 'out', 'copy', 'copied');
  figure('gene-in', 1.3, 'back', 'copy', 'copied');
  figure('gene-file', 0.5, 'back', 'file', 'loaded from its file');
}

function timed(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}
