/**
 * What a waiting turn lacks. Pure.
 */
import { lacksSlots } from './gene-room.js';
import { busyCells } from './lane-cells.js';
import type { QueueState, WaitingTurn } from './queue.js';

/** Named in the order in which it is looked for: a lane is of no use to a turn whose genes have no room. */
export type Lack = 'genes' | 'lane' | 'cells';

/** Tells of turns in one state what they lack; undefined: nothing. */
export function lackIn<T extends WaitingTurn>(state: QueueState<T>): (turn: T) => Lack | undefined {
  const { lanes, cells, genes, now } = state;
  const isFull = lanes.every((lane) => lane.state === 'busy');
  const room = cells - busyCells(lanes);
  const need = needIn(state);
  return (turn) => {
    if (isPaused(turn, now) || lacksSlots(genes, turn.genes)) return 'genes';
    if (isFull) return 'lane';
    return need(turn) <= room ? undefined : 'cells';
  };
}

/**
 * Tells of turns in one state how many cells must be free for them: what their page or lane holds is there until the run
 * begins, and of a lane that shares it may be more than comes free with it.
 */
export function needIn<T extends WaitingTurn>({ lanes, paged }: QueueState<T>): (turn: T) => number {
  const sharing = new Map(
    lanes
      .filter(({ state, stretches }) => state === 'idle' && stretches.length > 0)
      .map(({ activity, held }) => [activity, held]),
  );
  return ({ activity, cells }) => Math.max(cells, paged(activity), sharing.get(activity) ?? 0);
}

/** Its genes did not come in time, a moment ago. */
export const isPaused = ({ notBefore }: WaitingTurn, now: number): boolean => now < notBefore;
