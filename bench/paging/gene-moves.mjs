/**
 * A gene of 15 MB out of the device and in again, against a memcpy of as many bytes; and in from the host, against loading
 * its file, which the system has in its cache.
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
  figures: ['gene-out', 'gene-in', 'gene-file'],
  async run({ say, report }) {
    const { model: path, adapters } = await benchModel({ say });
    const model = loadAddon().loadModel({ path, mmap: false, gpuLayers: 0 });
    const load = () => {
      const bytes = readFileSync(adapters[0]);
      const hash = createHash('sha256').update(bytes).digest('hex');
      return model.loadGene(bytes, { path: adapters[0], hash });
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
      const ms = (part) => median(rounds.map((round) => round[part])).toFixed(2);
      const note = `${(bytes / 1e6).toFixed(1)} MB in ${ms(of)} ms, ${what} in ${ms(against)}; ${ROUNDS} rounds`;
      report({
        figure: name,
        value: median(ratios),
        unit: '',
        bar,
        better: 'lower',
        spread: spread(ratios),
        note,
      });
    };
    figure('gene-out', 1.3, 'out', 'copy', 'copied');
    figure('gene-in', 1.3, 'back', 'copy', 'copied');
    figure('gene-file', 0.5, 'back', 'file', 'loaded from its file');
  },
};

function timed(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}
