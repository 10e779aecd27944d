/**
 * Runs many seeds of the subjects, one after the other.
 */
import { explain, report, run, type Subject, trialOf } from '../../src/testing/simulation/index.js';
import { mindsSubject } from './minds-subject.js';
import { runtimeSubject } from './runtime-subject.js';
import { supervisorsSubject } from './supervisors-subject.js';
import { count, shortOf, type Tally } from './tally.js';

/** Whose turn it is: a seed of minds costs five times as much as one of the runtime. */
const TURNS = [runtimeSubject(), runtimeSubject(), supervisorsSubject(), mindsSubject()] as Subject<never>[];

export interface SeedOptions {
  readonly from: number;
  readonly seeds: number;
  readonly subject?: string | undefined;
  /** Of a single seed: which of its faults, and how much of its workload. */
  readonly faults?: readonly number[] | undefined;
  readonly messages?: number | undefined;
}

/** Whoever waits may have given up: no further seed begins then. */
type Stopped = Pick<AbortSignal, 'aborted'>;

/** Every seed runs one subject: they take turns, unless one is named. `write` gets the report of each that fails. */
export async function runSeeds(
  options: SeedOptions,
  write: (text: string) => void,
  stopped: Stopped = { aborted: false },
): Promise<Tally> {
  const subjects =
    options.subject === undefined ? TURNS : TURNS.filter(({ name }) => name === options.subject);
  if (subjects.length === 0) throw new Error(`there is no subject ${options.subject}`);
  const tally: Tally = {};
  for (let seed = options.from; seed < options.from + options.seeds; seed++) {
    if (stopped.aborted) break;
    const subject = subjects[seed % subjects.length] as Subject<never>;
    const failure = await runSeed(subject, seed, options, tally);
    if (failure !== undefined) write(`${failure}\n`);
  }
  return tally;
}

/** Answers what is wrong. */
async function runSeed(
  subject: Subject<never>,
  seed: number,
  { faults, messages }: SeedOptions,
  tally: Tally,
): Promise<string | undefined> {
  const whole = trialOf(subject, seed);
  const kept = whole.faults.filter((_, i) => faults?.includes(i) ?? true);
  const trial = { ...whole, faults: kept, messages: messages ?? whole.messages };
  const outcome = await run(subject, trial);
  const [violation] = outcome.violations;
  const isWhole = faults === undefined && messages === undefined;
  const short = violation === undefined && isWhole ? shortOf(outcome) : undefined;
  count(tally, subject.name, outcome, violation === undefined && short === undefined);
  if (short !== undefined) return `seed ${seed} of ${subject.name} delivers only ${short}`;
  return violation && report(subject, await explain(subject, trial, violation));
}
