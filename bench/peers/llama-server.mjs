/**
 * A side: llama-server with so many parallel streaming completions, greedy, without its prompt cache.
 *
 * Processor time is the server's alone; what reading the streams costs is not counted.
 */
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive, options } from '../harness/driver.mjs';
import { processorTimeUs } from '../harness/processor.mjs';
import { Tally } from '../harness/tally.mjs';

const UP_WITHIN_MS = 60_000;
const ADDRESS = '127.0.0.1';

const { program, model, minds, cells, rows, threads, flashAttention, prompt } = options();

const port = await freePort();
const args = [
  ...['-m', model, '-c', cells, '-np', minds, '-kvu', '-b', rows, '-ub', rows, '-t', threads, '-tb', threads],
  ...['-fa', flashAttention ? 'on' : 'off', '-ngl', 0, '--load-mode', 'none', '-cram', 0],
  ...['--no-ui', '--log-disable', '--host', ADDRESS, '--port', port],
];
let wrong = true;
let ending = false;
const server = spawn(program, args.map(String), { stdio: 'ignore' });
server.on('exit', (code) => {
  if (!ending) throw new Error(`${program} ended with ${code}`);
});
await up();

const tally = new Tally(minds, () => processorTimeUs(server.pid));
await Promise.all(Array.from({ length: minds }, (_, sequence) => complete(sequence)));

await drive({}, async (_, end) => {
  await end;
  ending = true;
  server.kill('SIGKILL');
  return { samples: tally.samples(), verified: wrong };
});

/** Begins a completion that does not end; resolves when its first token is there. */
function complete(sequence) {
  const body = JSON.stringify({
    prompt,
    n_predict: -1,
    temperature: 0,
    samplers: ['temperature'],
    ignore_eos: true,
    cache_prompt: false,
    stream: true,
    return_tokens: true,
  });
  return new Promise((resolve, reject) => {
    const broken = (error) => {
      if (!ending) wrong = `a stream broke: ${error.message}`;
      reject(error);
    };
    const asked = request({ host: ADDRESS, port, path: '/completion', method: 'POST' }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`llama-server answered ${answer.statusCode}`));
      const lines = createInterface({ input: answer });
      lines.on('error', broken);
      lines.on('line', (line) => {
        if (!line.startsWith('data: ')) return;
        const piece = JSON.parse(line.slice('data: '.length));
        tally.add(sequence, piece.tokens.length);
        if (piece.stop || piece.tokens_predicted !== tally.count(sequence)) wrong = `a piece was ${line}`;
        resolve();
      });
    });
    asked.on('error', broken);
    asked.end(body);
  });
}

async function up() {
  const deadline = Date.now() + UP_WITHIN_MS;
  while (Date.now() < deadline) {
    const answer = await fetch(`http://${ADDRESS}:${port}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`llama-server was not up within ${UP_WITHIN_MS / 1000} s`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, ADDRESS, () => {
      const { port: free } = probe.address();
      probe.close(() => resolve(free));
    });
  });
}
