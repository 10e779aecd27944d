import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { defineConfig } from 'vitest/config';

const src = resolve(import.meta.dirname, 'src') + sep;
const dist = resolve(import.meta.dirname, 'dist') + sep;

/**
 * Tests import `../src/x.js` for its types and get the compiled `dist/x.js`: threads are started from compiled
 * files, and two copies of a module would be two sets of error classes.
 */
const compiled = {
  name: 'compiled',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined) {
    if (!importer || !source.startsWith('.') || importer.startsWith(dist)) return undefined;
    const path = resolve(importer, '..', source);
    if (!path.startsWith(src)) return undefined;
    const file = dist + path.slice(src.length).replace(/\.ts$/, '.js');
    if (!existsSync(file)) throw new Error(`${file} is not there: npm run build`);
    return { id: file, external: true };
  },
};

/** What tests import that start threads or processes, or load the addon. */
const OPENS =
  /(stage|fixtures|lane|run|opening|subject|system|index|native\/.+)\.js'|worker_threads|child_process|node:net/;
/** Folders of tests that only compute, but for those of their files that open something. */
const COMPUTES = ['actors', 'bench', 'cli', 'house', 'observer', 'pages', 'runtime', 'scripts', 'testing'];
/**
 * Tests that leave nothing behind by their nature. They share processes: to start one takes longer than most of them do.
 * All others have a process each, which also counts what it holds.
 */
const computing = COMPUTES.flatMap((folder) => {
  const files = readdirSync(join(import.meta.dirname, 'test', folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.test.ts')).map((file) => join('test', folder, file));
}).filter((file) => !OPENS.test(readFileSync(join(import.meta.dirname, file), 'utf8')));

export default defineConfig({
  plugins: [compiled],
  test: {
    pool: 'forks',
    execArgv: ['--enable-source-maps', '--expose-gc'],
    // One more than the least machine has cores: tests often wait for a thread, a process or a disk.
    maxWorkers: 3,
    // How fast the machine is decides nothing: what hangs is told here, and nothing else.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'opening',
          include: ['test/**/*.test.ts'],
          exclude: computing,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'computing', include: computing, isolate: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
