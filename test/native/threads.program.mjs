/**
 * Four threads share one model, each with a context of its own, and end in a random order:
 * `leave` (fall off their end), `close` (close all first), `terminate` (in mid-step), `mixed`, or `exit` (the
 * process exits while they decode). Prints what native objects are alive after all threads have ended, and what memory is
 * held of the windows that they had open.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { loadAddon } from '../../dist/native/load.js';

const THREADS = 4;
const STEPS = 20;
const WINDOW_BYTES = 2 ** 20;

if (isMainThread) await main(process.argv[2], process.argv[3], Number(process.argv[4]));
else work(workerData);

async function main(path, how, seed) {
  const random = lcg(seed);
  const genePath = path.replace('-F16', '-gene-kjv-F16');
  const addon = loadAddon();
  // The first owner may close before the others have ended.
  const model = addon.loadModel({ path, mmap: false, gpuLayers: 0 });
  // Every thread runs it, on lanes of its own.
  const gene = model.loadGene(readFileSync(genePath), { path: genePath, hash: 'kjv' }).id;
  const ways = ['leave', 'close', 'terminate'];
  const workers = Array.from({ length: THREADS }, (_, i) => {
    const way = how === 'mixed' ? ways[Math.floor(random() * ways.length)] : how;
    const endless = way === 'terminate' || way === 'exit';
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { id: model.info.id, gene, way, endless, lane: i },
    });
    return { way, worker, delayMs: random() * 60 };
  });
  await Promise.all(workers.map(({ worker }) => new Promise((resolve) => worker.once('message', resolve))));
  model.close();
  if (how === 'exit') process.exit(0);
  await Promise.all(
    workers.map(async ({ way, worker, delayMs }) => {
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      await sleep(delayMs);
      if (way === 'terminate') await worker.terminate();
      else worker.postMessage('go on');
      await ended;
    }),
  );
  const { windows } = addon.pages.usage();
  console.log(JSON.stringify({ ...addon.live(), windows }));
}

function work({ id, gene, way, endless, lane }) {
  const model = loadAddon().attachModel(id);
  const context = model.context({
    lanes: 4,
    cells: 256,
    rows: 16,
    // One of them with a pool of ggml's threads; more would only spin against each other.
    threads: way === 'leave' && lane === 0 ? 2 : 1,
    promptThreads: 1,
    flashAttention: true,
    abortFlag: new Int32Array(new SharedArrayBuffer(4)),
  });
  const sampling = { seed: 1, temperature: 1, topK: 40, topP: 1, minP: 0, repeatPenalty: 1, repeatLast: 0 };
  context.setSampler(lane, sampling, new Int32Array());
  context.setGenes(lane, [{ gene, scale: 1 }]);
  const sampled = new Int32Array(4);
  const step = (position) => {
    const status = context.step(Int32Array.of(sampled[0], lane, position, 1), 1, sampled);
    if (status !== 0) throw new Error(`a step answered ${status}: ${context.failure()}`);
  };
  for (let position = 0; position < STEPS; position++) step(position);
  context.openWindow(lane, [], WINDOW_BYTES);
  parentPort.postMessage('ready');
  while (endless) {
    context.clear(lane);
    for (let position = 0; position < STEPS; position++) step(position);
  }
  parentPort.once('message', () => {
    if (way !== 'close') return;
    context.close();
    model.close();
  });
}

function lcg(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
