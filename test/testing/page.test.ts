/**
 * The code of docs/testing.md, run as it stands there.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');

const page = readFileSync(join(ROOT, 'docs', 'testing.md'), 'utf8');
const kit = pathToFileURL(join(ROOT, 'dist', 'testing', 'index.js')).href;

const blocks = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);

test('R7 the code of docs/testing.md does what the page says', async () => {
  expect(blocks.length).toBeGreaterThan(5);
  const dir = mkdtempSync(join(tmpdir(), 'troupe-page-'));
  try {
    const file = join(dir, 'page.mjs');
    writeFileSync(file, blocks.join('\n').replace("'troupe/testing'", `'${kit}'`));
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('R7 the package offers the test kit with its types', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(exports['./testing']).toEqual({
    types: './dist/testing/index.d.ts',
    default: './dist/testing/index.js',
  });
});
