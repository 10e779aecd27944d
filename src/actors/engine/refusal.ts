/**
 * Why a run does not begin, and what its mind is told of it.
 */
import { EngineLost, LaneMismatch } from '../../errors.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import type { Lane } from './lane.js';
import type { Run, RunOutcome } from './protocol.js';

export interface Refusal {
  readonly outcome: RunOutcome;
  readonly error: ErrorEnvelope | undefined;
}

/** What a run that did not begin has done. */
export const NOTHING_DONE = {
  text: '',
  rest: '',
  pieces: 0,
  reply: new Int32Array(0),
  produced: 0,
  processed: 0,
  reused: 0,
  shared: 0,
  times: { waitedMs: 0, promptMs: 0, decodeMs: 0 },
};

export function tooOld(): Refusal {
  const error = new EngineLost({ reason: 'it was started again after the lane was granted' });
  return { outcome: 'failed', error: toEnvelope(error) };
}

/** What the context throws of a gene that is not on the device, above all. */
export const notBegun = (error: unknown): Refusal => ({ outcome: 'failed', error: toEnvelope(error) });

/** Refuses a run whose assumption of its lane is wrong; undefined when it is right. */
export function laneRefusal(run: Run, lane: Lane | undefined): Refusal | undefined {
  const expected = run.continues ? run.activity : 'no run';
  let actual = lane?.activity ?? 'nothing';
  if (lane === undefined) actual = 'no such lane';
  else if (lane.run !== undefined) actual = `a run of ${lane.activity}`;
  else if (!run.continues || lane.activity === run.activity) return undefined;
  return { outcome: 'failed', error: toEnvelope(new LaneMismatch({ lane: run.lane, expected, actual })) };
}
