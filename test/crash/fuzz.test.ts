/**
 * Files changed at random, in a process that must not die of them: page files, adapters, headers of models.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../pages/plain-pages.js';

const SOAK = process.env.TROUPE_SOAK !== undefined;
const MS = SOAK ? 600_000 : 4_000;
/** The suite tries the same cases every time; a longer run tries others. */
const FIRST = SOAK ? Math.floor(Math.random() * 2 ** 31) : 1;

/** How many cases came to which outcome. A process that dies names its case. */
async function fuzz(program: string): Promise<Record<string, number>> {
  const at = join(newFolder(), 'case');
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, at, String(FIRST), String(MS)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let complained = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  child.stderr.on('data', (data) => {
    complained = (complained + data).slice(-4_000);
  });
  const [code, signal] = await once(child, 'close');
  if (code === 0) return JSON.parse(said);
  const number = existsSync(at) ? readFileSync(at, 'utf8').trim() : 'none';
  throw new Error(`${program} ended with ${signal ?? code} in case ${number}: ${complained}`);
}

describe('fuzzing', () => {
  test(
    'P6 pages whose files were changed at random are refused with a typed error, or work',
    async () => {
      const outcomes = await fuzz('./fuzz-pages.program.mjs');
      const refused = [
        'PageCorrupt',
        'PageMismatch',
        'NoSuchPage',
        'NativeFailure',
        'BadArgument',
        'OverCeiling',
      ];
      expect([...refused, 'used']).toEqual(expect.arrayContaining(Object.keys(outcomes)));
      expect(Object.keys(outcomes).length).toBeGreaterThan(3);
    },
    MS + 60_000,
  );

  test(
    'G1 adapters and headers changed at random are refused with a typed error, or work',
    async () => {
      const outcomes = await fuzz('./fuzz-genes.program.mjs');
      const refused = [
        'NotAGene',
        'GeneTruncated',
        'GeneUnfit',
        'NotAModel',
        'ModelTruncated',
        'ModelUnsupported',
      ];
      expect([...refused, 'used']).toEqual(expect.arrayContaining(Object.keys(outcomes)));
      expect(Object.keys(outcomes).length).toBeGreaterThan(4);
    },
    MS + 60_000,
  );
});
