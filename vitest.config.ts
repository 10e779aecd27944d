import { existsSync } from 'node:fs';
import { resolve, sep } from 'node:path';
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

export default defineConfig({
  plugins: [compiled],
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    execArgv: ['--enable-source-maps', '--expose-gc'],
    maxWorkers: 2,
    // How fast the machine is decides nothing: what hangs is told here, and nothing else.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
  },
});
