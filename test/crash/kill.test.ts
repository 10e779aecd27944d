import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadAddon } from '../../src/native/load.js';
import { stagingPath } from '../../src/pages/layout.js';
import { lockDirectory } from '../../src/pages/lock.js';
import { list } from '../../src/pages/read.js';
import { recover } from '../../src/pages/recover.js';
import { newFolder, readPlain } from '../pages/plain-pages.js';
import { generationBytes } from './generation.mjs';

const PROGRAM = fileURLToPath(new URL('./kill.program.mjs', import.meta.url));
const SOAK = process.env.TROUPE_SOAK !== undefined;
const FOLDERS = SOAK ? 20 : 4;
/** One after the other on the same folder, so that what one leaves is what the next finds. */
const KILLS = SOAK ? 10 : 5;
/** A dozen publications. */
const LONGEST_MS = 200;

/** Lets the program spill and kills it at some instant. Answers the last generation that it said of each page. */
async function spillUntilKilled(path: string): Promise<Map<string, number>> {
  const child = spawn(process.execPath, [PROGRAM, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  await once(child.stdout, 'data');
  setTimeout(() => child.kill('SIGKILL'), Math.random() * LONGEST_MS);
  const [code, signal] = await once(child, 'close');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
  return new Map(
    said
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [[line.split(' ')[0], Number(line.split(' ')[1])]])) as [
      string,
      number,
    ][],
  );
}

/** Every page is the last generation that was said, or the one after it, and whole. */
function check(path: string, said: ReadonlyMap<string, number>): void {
  const { files } = loadAddon();
  const directory = lockDirectory(path, files);
  try {
    expect(recover(directory)).toEqual([]);
    expect(readdirSync(stagingPath(path))).toEqual([]);
    const { pages, damaged } = list(directory);
    expect(damaged).toEqual([]);
    for (const [name, last] of said)
      expect(pages.find((page) => page.name === name)?.generation).toBeGreaterThanOrEqual(last);
    for (const { name, generation } of pages) {
      const last = said.get(name);
      if (last !== undefined) expect(generation).toBeLessThanOrEqual(last + 1);
      const page = readPlain(directory, name);
      expect(page.cells).toBe(generation);
      const expected = generationBytes(name, generation);
      expect(page.sections.length).toBe(expected.length);
      for (const [i, { data }] of page.sections.entries()) {
        expect(Buffer.compare(data, expected[i] as Uint8Array)).toBe(0);
      }
    }
  } finally {
    files.unlock(directory.lock);
  }
}

describe('P6 kill -9 at any instant of spills', () => {
  test.each(Array.from({ length: FOLDERS }, (_, i) => i + 1))(
    `P6 loses at most the generation being written: folder %i, ${KILLS} kills`,
    async () => {
      const path = newFolder(tmpdir());
      for (let kill = 0; kill < KILLS; kill++) check(path, await spillUntilKilled(path));
    },
    300_000,
  );
});
