/**
 * A side: upstream's bare loop, all lanes under the same adapters; it prints its time, tokens and processor time after
 * every step. `adapters`: `{ adapter, scale }` each, `adapter` being a file.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { drive, options } from '../harness/driver.mjs';

const { program, model, minds, cells, rows, threads, flashAttention, prompt, adapters } = options();

const args = [
  ...[model, minds, cells, rows, threads, flashAttention ? 1 : 0, prompt],
  ...adapters.flatMap(({ adapter, scale }) => [adapter, scale]),
];
const child = spawn(program, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => {
  child.on('exit', resolve);
});
const samples = [];
let held;
await new Promise((ready, failed) => {
  ended.then((code) => failed(new Error(`${program} ended with ${code}`)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const words = line.split(' ');
    if (line === 'ready') ready();
    else if (words[0] === 'held') held = words.slice(1).map(Number);
    else samples.push(words.map(Number));
  });
});

await drive({}, async (_, end) => {
  await end;
  child.kill('SIGTERM');
  await ended;
  const [, tokens] = samples.at(-1) ?? [];
  const right = held?.length === minds && held.every((count) => count * minds === tokens);
  return { samples, verified: right || `lanes hold ${held} tokens beside the prompt after ${tokens} in all` };
});
