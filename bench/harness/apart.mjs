/**
 * Runs programs of a folder of `bench/sides`, each in a process of its own, so that no figure finds the heap or the compiled
 * code of another; answers what one prints, as one object.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const WITHIN_MS = 300_000;
const SIDES = new URL('../sides/', import.meta.url);

export const apartIn =
  (folder) =>
  async (program, options = {}, withinMs = WITHIN_MS) => {
    const args = [new URL(`${folder}/${program}.mjs`, SIDES).pathname, JSON.stringify(options)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: withinMs });
    return JSON.parse(stdout);
  };
