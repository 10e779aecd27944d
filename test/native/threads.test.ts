import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TINY } from './fixtures.js';

const PROGRAM = fileURLToPath(new URL('threads.program.mjs', import.meta.url));

function run(...args: string[]): Promise<{ code: number | null; signal: string | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, TINY, ...args]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });
}

describe('R1 the addon in many threads', () => {
  it.each(['leave', 'close', 'terminate', 'mixed'])(
    'R1 four threads that %s in any order leave nothing',
    async (how) => {
      for (const seed of ['1', '2', '3']) {
        expect(await run(how, seed)).toEqual({
          code: 0,
          signal: null,
          output: '{"models":0,"contexts":0,"genes":0,"windows":0}\n',
        });
      }
    },
  );

  it('R1 a process may exit while its threads decode', async () => {
    expect(await run('exit', '1')).toEqual({ code: 0, signal: null, output: '' });
  });
});
