// Loads adapters and model headers that were changed at random, for the time that it is given; those that load are run.
// Prints how many there were of each outcome, as JSON. The number of the case at hand lies in the file that it is given.
import { createHash } from 'node:crypto';
import { openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TroupeError } from '../../dist/errors.js';
import { loadAddon } from '../../dist/native/load.js';
import { mutated, randomOf } from './mutator.mjs';

const [, , casePath, firstCase, ms] = process.argv;
const models = fileURLToPath(new URL('../../models/', import.meta.url));
const addon = loadAddon();
const MODEL = `${models}parlour-tiny-F16.gguf`;
const model = addon.loadModel({ path: MODEL, mmap: false, gpuLayers: 0 });
const context = model.context({
  ...{ lanes: 1, cells: 256, rows: 8, threads: 1, promptThreads: 1 },
  flashAttention: true,
});
const gene = readFileSync(`${models}parlour-tiny-gene-kjv-F16.gguf`);
const weights = readFileSync(MODEL);

const caseFile = openSync(casePath, 'w');
const outcomes = {};
const rows = new Int32Array([5, 0, 0, 1]);
const sampled = new Int32Array(1);

function useGene(bytes) {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const { id } = model.loadGene(bytes, { path: 'fuzz.gguf', hash });
  context.setGenes(0, [{ gene: id, scale: 1 }]);
  context.step(rows, 1, sampled);
  context.clear(0);
  context.setGenes(0, []);
  model.unloadGene(id);
}

function readHeader(bytes) {
  const path = `${casePath}.gguf`;
  writeFileSync(path, bytes);
  addon.readHeader(path);
}

context.setSampler(
  0,
  { ...{ seed: 0, temperature: 0, topK: 0, topP: 1, minP: 0 }, repeatPenalty: 1, repeatLast: 0 },
  new Int32Array(),
);
const end = Date.now() + Number(ms);
for (let number = Number(firstCase); Date.now() < end; number++) {
  writeSync(caseFile, `${number}\n`, 0);
  const random = randomOf(number);
  let outcome = 'used';
  try {
    if (random() < 0.7) useGene(mutated(gene, random, 6_000));
    else readHeader(mutated(weights, random, 20_000));
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    outcome = error.code;
  }
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}
process.stdout.write(JSON.stringify(outcomes));
