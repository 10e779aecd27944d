/**
 * What a waiting turn lacks. Pure.
 */
import { lacksSlots } from './gene-room.js';
import type { QueueState, WaitingTurn } from './queue.js';

/** Named in the order in which it is looked for: a lane is of no use to a turn whose genes have no room. */
export type Lack = 'genes' | 'lane' | 'cells';

/** Tells of turns in one state what they lack; undefined: nothing. */
export function lackIn<T extends WaitingTurn>(state: QueueState<T>): (turn: T) => Lack | undefined {
  const { lanes, cells, paged, genes, now } = state;
  const isFull = lanes.every((lane) => lane.state === 'busy');
  const room = lanes.reduce((left, lane) => left - lane.reserved, cells);
  return (turn) => {
    if (isPaused(turn, now) || lacksSlots(genes, turn.genes)) return 'genes';
    if (isFull) return 'lane';
    return turn.cells <= room && paged(turn.activity) <= room ? undefined : 'cells';
  };
}

/** Its genes did not come in time, a moment ago. */
export const isPaused = ({ notBefore }: WaitingTurn, now: number): boolean => now < notBefore;
