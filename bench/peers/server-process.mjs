/**
 * A llama-server of our own on a free port, with one KV store for all its slots and without its prompt cache.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const UP_WITHIN_MS = 60_000;
export const ADDRESS = '127.0.0.1';

/**
 * Starts it and waits until it serves.
 * @param {object} options `program`, and the settings that both sides of a comparison have
 * @param {string[]} more of its arguments
 * @param {(code: number | null) => void} ended called when it ends
 * @returns {Promise<{ port: number, pid: number, end: () => void }>}
 */
export async function startServer(options, more, ended) {
  const { program, model, minds, cells, rows, threads, flashAttention } = options;
  const port = await freePort();
  const args = [
    ...[
      '-m',
      model,
      '-c',
      cells,
      '-np',
      minds,
      '-kvu',
      '-b',
      rows,
      '-ub',
      rows,
      '-t',
      threads,
      '-tb',
      threads,
    ],
    ...['-fa', flashAttention ? 'on' : 'off', '-ngl', 0, '--load-mode', 'none', '-cram', 0],
    ...['--no-ui', '--log-disable', '--host', ADDRESS, '--port', port, ...more],
  ];
  const server = spawn(program, args.map(String), { stdio: 'ignore' });
  const end = () => server.kill('SIGKILL');
  process.on('exit', end);
  server.on('exit', (code) => {
    process.off('exit', end);
    ended(code);
  });
  await up(port);
  return { port, pid: server.pid, end };
}

async function up(port) {
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
