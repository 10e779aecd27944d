/**
 * Runs one tool to its end, line by line; on failure the error carries the last lines that it wrote.
 * Not for anything that reads its standard input.
 */
import { spawn } from 'node:child_process';

const KEPT_LINES = 40;

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onLine?: (line: string) => void }} [options]
 * @returns {Promise<string>} everything it wrote, standard output and error in the order they came
 */
export function run(command, args, { cwd, env, onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && command === 'npm',
    });
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
    child.on('error', (cause) =>
      reject(new Error(`${command} cannot be started (${cause.message}); is it installed?`, { cause })),
    );
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const tail = output.trimEnd().split('\n').slice(-KEPT_LINES).join('\n');
      reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}:\n${tail}`));
    });
  });
}
