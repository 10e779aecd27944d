/**
 * Runs many seeds in several processes, each of which is given a few at a time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedOptions } from './seeds.js';
import { add, type Tally } from './tally.js';

/** What a job is told to run, and what it says of it. */
export interface JobResult {
  readonly tally: Tally;
  readonly text: string;
}

const JOB = fileURLToPath(new URL('./job.js', import.meta.url));
/** Few enough that all jobs end at about the same time. */
const SEEDS_AT_ONCE = 20;
/** Young garbage is most of what a seed leaves; room for it halves the time that collecting it takes. */
const NODE_OPTIONS = ['--max-semi-space-size=32'];

export async function runJobs(
  jobs: number,
  options: SeedOptions,
  write: (text: string) => void,
): Promise<Tally> {
  const tally: Tally = {};
  const end = options.from + options.seeds;
  let next = options.from;
  const work = async (): Promise<void> => {
    const child = fork(JOB, { execArgv: NODE_OPTIONS });
    try {
      while (next < end) {
        const from = next;
        next = Math.min(end, from + SEEDS_AT_ONCE);
        const result = await give(child, { ...options, from, seeds: next - from });
        add(tally, result.tally);
        if (result.text !== '') write(result.text);
      }
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return tally;
}

/** Rejects when the job ends instead. */
function give(child: ChildProcess, options: SeedOptions): Promise<JobResult> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      const last = options.from + options.seeds - 1;
      reject(new Error(`the process that ran seeds ${options.from} to ${last} ended with ${code}`));
    };
    child.once('exit', ended);
    child.once('message', (result: JobResult) => {
      child.off('exit', ended);
      resolve(result);
    });
    child.send(options);
  });
}
