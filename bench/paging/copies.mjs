/**
 * What a copy of so many bytes takes: a plain memcpy on one thread, into memory obtained as genes obtain theirs, in a small
 * program that is compiled once a source.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder, exists } from '../../native/llama/cache.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const NATIVE = join(HERE, '..', '..', 'native', 'src');
const PARTS = ['arena.cc', 'ranges.cc', 'failure.cc'].map((name) => join(NATIVE, name));
const SOURCES = [join(HERE, 'copies.cc'), ...PARTS];

const run = promisify(execFile);

async function program() {
  const hash = createHash('sha256');
  for (const source of SOURCES) hash.update(readFileSync(source));
  const folder = join(cacheFolder(), 'bench');
  const path = join(folder, `copies-${hash.digest('hex').slice(0, 16)}`);
  if (await exists(path)) return path;
  mkdirSync(folder, { recursive: true });
  const flags = ['-O3', '-march=native', '-std=c++17', `-I${NATIVE}`];
  await run(process.env.CXX ?? 'c++', [...flags, ...SOURCES, '-o', path]);
  return path;
}

/** @returns {Promise<number[]>} milliseconds of each of so many copies */
export async function copyTimes(bytes, copies) {
  const { stdout } = await run(await program(), [String(bytes), String(copies)]);
  return stdout.trim().split('\n').map(Number);
}
