/** Runs the command as a user does: a process of its own, by a pipe or on a terminal of its own. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TROUPE = fileURLToPath(new URL('../../dist/cli/troupe.js', import.meta.url));
export const TINY = fileURLToPath(new URL('../../models/parlour-tiny-F16.gguf', import.meta.url));
const LONGEST_MS = 100_000;
/** Nothing that a command keeps goes to the home of who runs the tests. */
const env = { ...process.env, XDG_STATE_HOME: join(tmpdir(), 'troupe-test-state') };

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export const troupe = (args: readonly string[], input = '', script = TROUPE): Promise<Ran> =>
  collect(process.execPath, [script, ...args], (child) => child.stdin?.end(input));

/** Reads the first line and closes the pipe, as `head -1` does. */
export const firstLineOf = (args: readonly string[]): Promise<Ran> =>
  collect(process.execPath, [TROUPE, ...args], (child) => {
    child.stdout?.once('data', () => child.stdout?.destroy());
  });

/**
 * On a pseudo terminal, made by util-linux's `script`. Each key is typed when what came so far since the last one
 * matches its pattern.
 */
export function onTerminal(
  args: readonly string[],
  keys: readonly (readonly [RegExp, string])[],
): Promise<Ran> {
  const command = [process.execPath, TROUPE, ...args].map((word) => `'${word}'`).join(' ');
  const left = [...keys];
  let since = '';
  return collect('script', ['-qefc', `stty rows 30 cols 100; exec ${command}`, '/dev/null'], (child) => {
    child.stdout?.on('data', (data: Buffer) => {
      since += data;
      const [pattern, key] = left[0] ?? [];
      if (pattern === undefined || key === undefined || !pattern.test(since)) return;
      left.shift();
      since = '';
      child.stdin?.write(key);
    });
  });
}

function collect(
  command: string,
  args: readonly string[],
  started: (child: ReturnType<typeof spawn>) => void,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { timeout: LONGEST_MS, stdio: 'pipe', env });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
    started(child);
  });
}
