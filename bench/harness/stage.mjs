/**
 * A Troupe for one measurement, with a data folder of its own, gone afterwards.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Troupe } from '../../dist/index.js';

/** Always the likeliest token, so that every run does the same work. */
export const GREEDY = { temperature: 0, repeatPenalty: 1 };

/**
 * @template T
 * @param {object} options of `Troupe.start`
 * @param {(troupe: Troupe) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withTroupe(options, work) {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  try {
    const troupe = await Troupe.start({ ...options, dir });
    try {
      return await work(troupe);
    } finally {
      await troupe.stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Throws unless a turn did what it was asked to do. */
export function expectTurn({ outcome, receipt, error }, { outcomes, processed }) {
  if (!outcomes.includes(outcome))
    throw new Error(`a turn ended ${outcome}: ${error?.message ?? 'no error'}`);
  const did = receipt.runs.reduce((sum, run) => sum + run.processed, 0);
  if (processed !== undefined && did !== processed) {
    throw new Error(`a turn processed ${did} prompt tokens, not ${processed}`);
  }
}
