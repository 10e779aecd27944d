/** The guide to actors runs as it is printed: its modules are written to a folder, and each program prints what is said. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TINY } from '../face/stage.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/actors.md'), 'utf8');
/** Within the package, so that its own name finds it. */
mkdirSync(join(root, 'dist'), { recursive: true });
const folder = mkdtempSync(join(root, 'dist/guide-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = promisify(execFile);
const blocks = [
  ...guide.matchAll(/```(js|ts)\n\/\/ (\S+)\n(.*?)```(?:(?:(?!```).)*?\n```text\n(.*?)```)?/gs),
].map(([, , name = '', code = '', prints]) => ({ name, code, prints }));
const programs = blocks.flatMap(({ name, prints }) => (prints === undefined ? [] : [{ name, prints }]));

/** The small model and a folder of its own; Node 20 has no `await using`. */
const runnable = (code: string): string => {
  const options = `{ model: ${JSON.stringify(TINY)}, hosts: 1, dir: ${JSON.stringify(join(folder, 'data'))} }`;
  return code.includes('await using troupe')
    ? `${code.replace('await using troupe', 'const troupe').replace('Troupe.start()', `Troupe.start(${options})`)}\nawait troupe.stop();\n`
    : code;
};

/** `…` stands for anything within a line. */
const pattern = (prints: string): RegExp =>
  new RegExp(`^${prints.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')}$`);

describe('U1 the guide to actors', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    for (const { name, code } of blocks) writeFileSync(join(folder, name), runnable(code));
    const compilerOptions = { rootDir: '.', types: ['node'], exactOptionalPropertyTypes: true };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: { ...compilerOptions, outDir: '.', declaration: false, sourceMap: false },
        include: ['*.ts'],
        exclude: [],
      }),
    );
  });

  it('U1 its TypeScript has the types that the package exports', async () => {
    const { stdout } = await run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('U1 each of its sections has a program', () => {
    expect(programs.map(({ name }) => name)).toEqual([
      'main.js',
      'crossing.js',
      'bakery.js',
      'estate.js',
      'night.js',
      'theatre.js',
      'stuck.js',
      'office.ts',
    ]);
  });

  it.each(programs)('U1 $name prints what the guide says', async ({ name, prints }) => {
    const { stdout } = await run(process.execPath, [join(folder, name.replace(/ts$/, 'js'))]);
    expect(stdout).toMatch(pattern(prints));
  });
});
