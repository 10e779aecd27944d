/**
 * What a simulation runs: a subject with a workload and faults, of which a seed draws its own, and what comes of one run.
 */
import type { Random } from '../random.js';

/** Something that was to hold and did not. */
export interface Violation {
  readonly property: string;
  readonly what: string;
}

/** One run: everything that happens in it follows from these. */
export interface Trial<F> {
  readonly seed: number;
  readonly faults: readonly F[];
  /** The workload goes on until so many messages have been handled. */
  readonly messages: number;
}

export interface Outcome {
  /** Messages handled by actors of the subject, actors that handled any, and faults that came to pass. */
  readonly messages: number;
  readonly actors: number;
  readonly faults: number;
  /** How often what is hard to come upon came to pass, by what that is. */
  readonly moments: Readonly<Record<string, number>>;
  /** A number made of everything that happened, in its order. */
  readonly trace: number;
  readonly violations: readonly Violation[];
}

export interface Subject<F> {
  readonly name: string;
  /** Messages of a whole run. */
  readonly messages: number;
  draw(random: Random): F[];
  describe(fault: F): string;
  run(trial: Trial<F>): Promise<Outcome>;
}
