/**
 * Runs many seeds of the subjects from the command line; `scripts/simulate.mjs` compiles and calls it.
 */
import {
  explain,
  type Failure,
  report,
  run,
  type Subject,
  trialOf,
} from '../../src/testing/simulation/index.js';
import { mindsSubject } from './minds-subject.js';
import { runtimeSubject } from './runtime-subject.js';

export const SUBJECTS: readonly Subject<never>[] = [
  runtimeSubject() as Subject<never>,
  mindsSubject() as Subject<never>,
];

export interface SeedOptions {
  readonly from: number;
  readonly seeds: number;
  readonly subject: string | undefined;
  /** Of a single seed: which of its faults, and how much of its workload. */
  readonly faults: readonly number[] | undefined;
  readonly messages: number | undefined;
  write(text: string): void;
}

export interface Tally {
  passed: number;
  failed: number;
  messages: number;
  faults: number;
}

/** Every seed runs one subject: they take turns, unless one is named. */
export async function runSeeds(options: SeedOptions): Promise<Tally> {
  const subjects = SUBJECTS.filter(({ name }) => options.subject === undefined || name === options.subject);
  if (subjects.length === 0) throw new Error(`there is no subject ${options.subject}`);
  const tally = { passed: 0, failed: 0, messages: 0, faults: 0 };
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    const subject = subjects[seed % subjects.length] as Subject<never>;
    const failure = await runSeed(subject, seed, options, tally);
    if (failure === undefined) tally.passed++;
    else {
      tally.failed++;
      options.write(`${report(subject, failure)}\n`);
    }
  }
  return tally;
}

async function runSeed(
  subject: Subject<never>,
  seed: number,
  options: SeedOptions,
  tally: Tally,
): Promise<Failure<never> | undefined> {
  const whole = trialOf(subject, seed);
  const faults = whole.faults.filter((_, i) => options.faults?.includes(i) ?? true);
  const trial = { ...whole, faults, messages: options.messages ?? whole.messages };
  const { violations, messages, faults: occurred } = await run(subject, trial);
  tally.messages += messages;
  tally.faults += occurred;
  const [violation] = violations;
  return violation && explain(subject, trial, violation);
}
