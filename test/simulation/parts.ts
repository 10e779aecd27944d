/**
 * The seeds of the suite in parts, each a test of its own: one that takes too long on a busy machine ends, and disturbs nobody
 * who comes after it.
 */
import { runSeeds, type SeedOptions } from './seeds.js';
import { describe, type Tally } from './tally.js';

export type Part = Required<Pick<SeedOptions, 'from' | 'seeds'>>;

/** So many seeds, and how many of them are one part. */
export const partsOf = (seeds: number, atOnce: number): Part[] =>
  Array.from({ length: Math.ceil(seeds / atOnce) }, (_, i) => ({
    from: 1 + i * atOnce,
    seeds: Math.min(atOnce, seeds - i * atOnce),
  }));

/** Runs a part, and prints what its seeds came to. Answers the reports of those that failed. */
export async function runPart(
  subject: string,
  part: Part,
  signal: AbortSignal,
): Promise<{ readonly tally: Tally; readonly reports: readonly string[] }> {
  const reports: string[] = [];
  const tally = await runSeeds({ ...part, subject }, (text) => void reports.push(text), signal);
  for (const line of describe(tally)) process.stdout.write(`${line}\n`);
  return { tally, reports };
}
