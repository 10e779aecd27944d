/**
 * What a waiting turn lacks. Pure.
 */
import { lacksSlots } from './gene-room.js';
import { lacksRoomIn } from './host-room.js';
import { busyOf, cellsLeft, cellsOf, type LaneCells, taken } from './lane-cells.js';
import type { QueueState, WaitingTurn } from './queue.js';

/** Named in the order in which it is looked for: a lane is of no use to a turn whose genes have no room. */
export type Lack = 'genes' | 'lane' | 'cells' | 'host';

/** One that shares nothing. */
const NO_LANE: LaneCells = { lane: -1, state: 'empty', held: 0, reserved: 0, stretches: [], lastUse: 0 };

/** Tells of turns in one state what they lack; undefined: nothing. */
export function lackIn<T extends WaitingTurn>(state: QueueState<T>): (turn: T) => Lack | undefined {
  const { lanes, cells, genes, host, now } = state;
  const isFull = lanes.every((lane) => lane.state === 'busy');
  const busy = busyOf(lanes);
  const room = cells - cellsOf(busy);
  const take = takenIn(state);
  const lacksRoom = lacksRoomIn(lanes, host, now);
  return (turn) => {
    if (isPaused(turn, now) || lacksSlots(genes, turn.genes)) return 'genes';
    if (isFull) return 'lane';
    const lane = take(turn);
    const left = lane.stretches.length === 0 ? room : cellsLeft(cells, busy, lane);
    if (lane.reserved > left) return 'cells';
    return lacksRoom(turn) ? 'host' : undefined;
  };
}

/** Tells of turns in one state what they take of cells, on whichever lane. */
export function takenIn<T extends WaitingTurn>({ lanes, paged }: QueueState<T>): (turn: T) => LaneCells {
  const sharing = new Map(
    lanes
      .filter(({ state, stretches }) => state === 'idle' && stretches.length > 0)
      .map((lane) => [lane.activity, lane]),
  );
  return ({ activity, cells }) => {
    const own = sharing.get(activity);
    return taken(own ?? NO_LANE, own, Math.max(cells, own?.held ?? paged(activity)), lanes);
  };
}

/** Its genes did not come in time, a moment ago. */
export const isPaused = ({ notBefore }: WaitingTurn, now: number): boolean => now < notBefore;
