/**
 * What many seeds come to: how many passed, and of each subject how much the least of its seeds has done.
 */
import type { Outcome } from '../../src/testing/simulation/index.js';

/** What a seed delivers at least. */
export const LEAST = { messages: 2_000, actors: 8, faults: 5 } as const;

export interface SubjectTally {
  seeds: number;
  failed: number;
  messages: number;
  faults: number;
  leastMessages: number;
  leastActors: number;
  leastFaults: number;
  /** How often what is hard to come upon came to pass, and in how many seeds. */
  moments: Record<string, { times: number; seeds: number }>;
}

/** By the name of the subject. */
export type Tally = Record<string, SubjectTally>;

const nothing = (): SubjectTally => ({
  ...{ seeds: 0, failed: 0, messages: 0, faults: 0 },
  ...{ leastMessages: Infinity, leastActors: Infinity, leastFaults: Infinity, moments: {} },
});

/** Counts a seed. */
export function count(tally: Tally, subject: string, outcome: Outcome, passed: boolean): void {
  const { messages, actors, faults } = outcome;
  const least = { leastMessages: messages, leastActors: actors, leastFaults: faults };
  const moments: SubjectTally['moments'] = {};
  for (const [what, times] of Object.entries(outcome.moments))
    moments[what] = { times, seeds: Math.min(1, times) };
  add(tally, { [subject]: { seeds: 1, failed: passed ? 0 : 1, messages, faults, ...least, moments } });
}

/** Adds `more` to `tally`. */
export function add(tally: Tally, more: Tally): void {
  for (const [subject, other] of Object.entries(more)) {
    const sum = tally[subject] ?? nothing();
    tally[subject] = sum;
    for (const field of ['seeds', 'failed', 'messages', 'faults'] as const) sum[field] += other[field];
    for (const field of ['leastMessages', 'leastActors', 'leastFaults'] as const) {
      sum[field] = Math.min(sum[field], other[field]);
    }
    for (const [what, { times, seeds }] of Object.entries(other.moments)) {
      const before = sum.moments[what] ?? { times: 0, seeds: 0 };
      sum.moments[what] = { times: before.times + times, seeds: before.seeds + seeds };
    }
  }
}

/** In what a seed falls short of what it is to deliver; undefined: in nothing. */
export function shortOf({ messages, actors, faults }: Outcome): string | undefined {
  if (messages >= LEAST.messages && actors >= LEAST.actors && faults >= LEAST.faults) return undefined;
  return `${messages} messages among ${actors} actors with ${faults} faults`;
}

export function totals(tally: Tally): { passed: number; failed: number } {
  let [passed, failed] = [0, 0];
  for (const subject of Object.values(tally)) {
    passed += subject.seeds - subject.failed;
    failed += subject.failed;
  }
  return { passed, failed };
}

/** A line a subject, and one for each thing that is hard to come upon. */
export function describe(tally: Tally): string[] {
  return Object.entries(tally).flatMap(([name, { seeds, messages, faults, moments, ...least }]) => {
    const { leastMessages, leastActors, leastFaults } = least;
    const all = `${name}: ${seeds} seeds with ${messages} messages and ${faults} faults`;
    const rare = Object.entries(moments).map(
      ([what, came]) => `${name}: ${what}: ${came.times} times, in ${came.seeds} seeds`,
    );
    return [
      `${all}; at least ${leastMessages} messages among ${leastActors} actors with ${leastFaults} faults in each`,
      ...rare,
    ];
  });
}
