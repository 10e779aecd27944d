/**
 * Runs seeds of a subject, and says of a seed that fails all that is needed to run it again.
 */
import { asTroupeError } from '../../runtime/errors.js';
import { Random } from '../random.js';
import { shrink } from './shrink.js';
import type { Outcome, Subject, Trial, Violation } from './subject.js';

/** The stream of a seed's random numbers that faults are drawn from. */
const FAULTS = 3;

/** A seed that failed, made as small as it could be. */
export interface Failure<F> {
  readonly violation: Violation;
  readonly trial: Trial<F>;
  /** Which of the seed's faults are left. */
  readonly kept: readonly number[];
}

export function trialOf<F>(subject: Subject<F>, seed: number): Trial<F> {
  return { seed, faults: subject.draw(new Random(seed, FAULTS)), messages: subject.messages };
}

/** A run that cannot go on breaks a property too. */
export async function run<F>(subject: Subject<F>, trial: Trial<F>): Promise<Outcome> {
  const { stackTraceLimit } = Error;
  // Errors are messages here, by the hundred, and their stacks cost more than all else of them.
  Error.stackTraceLimit = 0;
  try {
    return await subject.run(trial);
  } catch (error) {
    const { code, message } = asTroupeError(error);
    const violation = { property: 'a run comes to its end', what: `${code}: ${message}` };
    return { messages: 0, actors: 0, faults: 0, moments: {}, trace: 0, violations: [violation] };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Makes a failing trial smaller; what counts is that the same property breaks. */
export async function explain<F>(
  subject: Subject<F>,
  trial: Trial<F>,
  { property }: Violation,
): Promise<Failure<F>> {
  const broken = async (candidate: Trial<F>): Promise<Violation | undefined> =>
    (await run(subject, candidate)).violations.find((violation) => violation.property === property);
  const smallest = await shrink(trial, async (candidate) => (await broken(candidate)) !== undefined);
  const violation = (await broken(smallest)) ?? { property, what: 'it did not fail again' };
  const kept = smallest.faults.map((fault) => trial.faults.indexOf(fault));
  return { violation, trial: smallest, kept };
}

/** The seed, the property, the faults that are left, and how to run it again. */
export function report<F>(subject: Subject<F>, { violation, trial, kept }: Failure<F>): string {
  const faults = trial.faults.map((fault) => `  ${subject.describe(fault)}`);
  const command = [
    `npm run -s simulate -- --subject ${subject.name} --seed ${trial.seed}`,
    `--faults ${kept.length > 0 ? kept.join(',') : 'none'} --messages ${trial.messages}`,
  ];
  return [
    `seed ${trial.seed} of ${subject.name}: broken: ${violation.property}`,
    `  ${violation.what}`,
    faults.length > 0 ? 'faults that are needed for it:' : 'no fault is needed for it',
    ...faults,
    'again:',
    `  ${command.join(' ')}`,
  ].join('\n');
}
