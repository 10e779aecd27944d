/**
 * Runs one tool to its end, line by line; on failure the error carries the last lines that it wrote.
 * Not for anything that reads its standard input.
 */
import { spawn } from 'node:child_process';

const KEPT_LINES = 40;

const POSIX = process.platform !== 'win32';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ onLine?: (line: string) => void }} [options]
 * @returns {Promise<string>} everything it wrote, standard output and error in the order they came
 */
export function run(command, args, { onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: !POSIX && command === 'npm',
      // A group of its own: what a build tool started ends with it when this process is asked to end.
      detached: POSIX,
    });
    const stop = (signal) => {
      if (!POSIX || child.pid === undefined) return child.kill(signal);
      try {
        process.kill(-child.pid, signal);
      } catch {
        // The whole group has ended by itself.
      }
    };
    const release = () => SIGNALS.forEach((signal) => void process.off(signal, stop));
    SIGNALS.forEach((signal) => void process.on(signal, stop));
    let output = '';
    let rest = '';
    const take = (chunk) => {
      output += chunk;
      const lines = (rest + chunk).split(/\r?\n/);
      rest = lines.pop() ?? '';
      if (onLine) lines.forEach(onLine);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (cause) => {
      release();
      reject(new Error(`${command} cannot be started (${cause.message}); is it installed?`, { cause }));
    });
    child.on('close', (code, signal) => {
      release();
      if (code === 0) return resolve(output);
      const tail = output.trimEnd().split('\n').slice(-KEPT_LINES).join('\n');
      reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}:\n${tail}`));
    });
  });
}
