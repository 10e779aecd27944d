/**
 * Whether the lanes that decode go into one step together, or one after the other.
 *
 * Together is nearly always better, for a step reads every weight once for all. But two rows may cost three times one, where
 * one row has a kernel of its own; then so many steps of one row are done sooner than one step of them all. Which it is, is
 * learned, never assumed. What genes add to a row is the same either way, so nothing here asks for them. Pure.
 */
import type { StepCost } from './cost.js';

/**
 * Lanes go one by one only where that takes at most this part of the time of a joint step. Between this and 1 they stay
 * together: a prompt beside them is held to their usual gap, and with a shorter one it would take longer.
 */
export const APART_GAIN = 0.7;
/** Joint steps below this, in ms, stay joint: 60 tokens a second for each of them, and every step has costs around it. */
export const APART_FLOOR_MS = 16;
/** After so many steps the way that is not taken is measured anew: one step, far below a hundredth of the time. */
export const COMPARE_AFTER_STEPS = 256;

export interface Decoding {
  readonly lane: number;
  /** Number of the step that had its last row; -1 = none yet. */
  readonly served: number;
}

/** The lanes that decode in the next step: all, or the one that has waited for longest. */
export function company(lanes: readonly Decoding[], cost: StepCost): readonly Decoding[] {
  if (together(lanes.length, cost)) return lanes;
  return [lanes.reduce((first, each) => (each.served < first.served ? each : first))];
}

function together(count: number, cost: StepCost): boolean {
  if (count < 2) return true;
  const joint = cost.predict(count);
  if (cost.age(count) >= COMPARE_AFTER_STEPS || joint < APART_FLOOR_MS) return true;
  return cost.age(1) < COMPARE_AFTER_STEPS && count * cost.predict(1) > APART_GAIN * joint;
}
