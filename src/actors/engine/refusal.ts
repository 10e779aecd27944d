/**
 * Why a run does not begin, and what its mind is told of it.
 */
import { EngineLost, LaneMismatch } from '../../errors.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import type { Lane } from './lane.js';
import type { Run, RunOutcome, Work } from './protocol.js';

export interface Refusal {
  readonly outcome: RunOutcome;
  readonly error: ErrorEnvelope | undefined;
}

/** A turn asks for a lane again. */
export function tooOld(): Refusal {
  const error = new EngineLost({ reason: 'it was started again after the lane was granted' });
  return { outcome: 'reclaimed', error: toEnvelope(error) };
}

/** It would hold more cells of its own than it was granted: the turn asks again, and is granted them. */
export function sharesLess({ lane, sharing }: Run): Refusal {
  const expected = `${sharing} tokens that others hold too`;
  const error = new LaneMismatch({ lane, expected, actual: 'another beginning' });
  return { outcome: 'reclaimed', error: toEnvelope(error) };
}

/** What the context throws of a gene that is not on the device, above all. */
export const refusalOf = (error: unknown): Refusal => ({ outcome: 'failed', error: toEnvelope(error) });

/** Of one that others end: `without` is how, where there is no error. */
export const refusalFor = (without: RunOutcome, error: ErrorEnvelope | undefined): Refusal => ({
  outcome: error === undefined ? without : 'failed',
  error,
});

/** Refuses work whose assumption of its lane is wrong; undefined when it is right. */
export function laneRefusal(work: Work, lane: Lane | undefined): Refusal | undefined {
  const expected = work.continues ? work.activity : 'no run';
  let actual = lane?.activity ?? 'nothing';
  if (lane === undefined) actual = 'no such lane';
  else if (lane.run !== undefined) actual = `a run of ${lane.activity}`;
  else if (!work.continues || lane.activity === work.activity) return undefined;
  return { outcome: 'failed', error: toEnvelope(new LaneMismatch({ lane: work.lane, expected, actual })) };
}
