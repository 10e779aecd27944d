/**
 * A side: llama-batched-bench with one KV store, in rounds of a few steps; it prints a line after each round.
 *
 * Its prompt is one token a sequence, which is a step like any other, so a round of `n` steps is a prompt and
 * `n - 1` generated tokens.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { drive, options } from '../harness/driver.mjs';
import { processorTimeUs } from '../harness/processor.mjs';
import { Tally } from '../harness/tally.mjs';

/** More than a comparison ever lasts; the program is ended before. */
const ROUNDS = 10_000;

const { program, model, minds, cells, rows, threads, flashAttention, stepsPerRound } = options();

const args = [
  ...['-m', model, '-c', cells, '-b', rows, '-ub', rows, '-t', threads, '-tb', threads],
  ...['-fa', flashAttention ? 'on' : 'off', '-ngl', 0, '-npp', 1, '-ntg', stepsPerRound - 1],
  ...[
    '-npl',
    new Array(ROUNDS).fill(minds).join(','),
    '-kvu',
    '--load-mode',
    'none',
    '--output-format',
    'jsonl',
  ],
];
const child = spawn(program, args.map(String), { stdio: ['ignore', 'pipe', 'ignore'] });
const tally = new Tally(minds, () => processorTimeUs(child.pid));
let wrong = true;
const started = new Promise((resolve, reject) => {
  child.on('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const round = JSON.parse(line);
    if (round.pl !== minds || round.tg !== stepsPerRound - 1) wrong = `a round was ${line}`;
    for (let sequence = 0; sequence < minds; sequence++) tally.add(sequence, stepsPerRound);
    resolve();
  });
});
await started;

await drive({}, async (_, end) => {
  await end;
  const samples = tally.samples();
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
  return { samples, verified: wrong };
});
