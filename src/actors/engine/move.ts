/**
 * A move of an activity between its lane and its page, and how it is answered.
 */
import { Aborted } from '../../errors.js';
import { toEnvelope } from '../../runtime/errors.js';
import type { Lane } from './lane.js';
import type { Lanes } from './lanes.js';
import type { Move, Moved, PageMove } from './protocol.js';
import type { Refusal } from './refusal.js';

/** Moves it, or says why not; nothing has changed then. */
export function carryOut(lanes: Lanes, move: Move, refusal: Refusal | undefined): Moved {
  const { type, grant, activity } = move;
  const lane = lanes.all[move.lane] as Lane;
  let moved: PageMove = { bytes: 0, ms: 0 };
  let error = refusal && (refusal.error ?? toEnvelope(new Aborted({ what: `the ${type} of ${activity}` })));
  try {
    if (refusal === undefined && type === 'page-out') moved = lanes.pageOut(lane);
    else if (refusal === undefined && !move.continues) moved = lanes.pageIn(lane, activity, move.mind);
  } catch (thrown) {
    error = toEnvelope(thrown);
  }
  return { type: 'moved', grant, ...moved, error };
}
