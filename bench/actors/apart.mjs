/**
 * Runs a program of `bench/sides/actors` in a process of its own, so that no figure finds the heap or the compiled code of
 * another; answers what it prints, as one object.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const WITHIN_MS = 300_000;
const PROGRAMS = new URL('../sides/actors/', import.meta.url);

export async function apart(program, options = {}) {
  const args = [new URL(`${program}.mjs`, PROGRAMS).pathname, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: WITHIN_MS });
  return JSON.parse(stdout);
}
