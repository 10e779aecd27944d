/**
 * Makes a failing trial smaller while it fails: fewer faults, by halves and then one by one, then less of the workload.
 */
import type { Trial } from './subject.js';

/** Trials that one shrinking may run. */
const MOST_TRIALS = 100;
/** A workload is not cut below this. */
const LEAST_MESSAGES = 8;

export async function shrink<F>(
  trial: Trial<F>,
  fails: (trial: Trial<F>) => Promise<boolean>,
): Promise<Trial<F>> {
  let left = MOST_TRIALS;
  let smallest = trial;
  const take = async (candidate: Trial<F>): Promise<boolean> => {
    if (left-- <= 0 || !(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  for (
    let size = Math.ceil(trial.faults.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < smallest.faults.length; ) {
      const faults = smallest.faults.filter((_, i) => i < at || i >= at + size);
      if (!(await take({ ...smallest, faults }))) at += size;
    }
  }
  while (smallest.messages > LEAST_MESSAGES) {
    if (!(await take({ ...smallest, messages: Math.ceil(smallest.messages / 2) }))) break;
  }
  return smallest;
}
