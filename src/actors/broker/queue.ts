/**
 * Who gets a lane next, and which one: the order of waiting turns (T5) and the choice of lane and cells (T1).
 *
 * Pure: plain data in, one decision out; a grant is given whole or not at all, and a turn that waits holds nothing.
 * `work.ts` keeps the counters that order minds.
 */
import { ContextFull, type TroupeError } from '../../errors.js';
import { TURN_CLASSES, type TurnClass } from './protocol.js';
import type { WorkRecord } from './work.js';

/**
 * Milliseconds of waiting after which a turn is ordered one class higher; background never becomes realtime. A mind
 * that was granted another turn meanwhile has not waited: else the backlog of one that floods would age as a whole
 * and go before those who ask for little.
 */
export const AGEING_MS = 30_000;
/**
 * Milliseconds that a turn for which only cells are missing lets smaller ones behind it pass. From then on cells
 * that come free are kept for it, so that its wait ends with the turns that run now.
 */
export const PASSING_MS = 5_000;

export interface WaitingTurn {
  readonly grant: number;
  readonly mind: number;
  /** The (mind, room) pair. */
  readonly activity: string;
  readonly class: TurnClass;
  /** When it came, in ms of the same clock as `now`. */
  readonly since: number;
  /** KV places for its prompt and reply. */
  readonly cells: number;
}

export interface LaneState {
  readonly lane: number;
  /** busy: a turn runs; idle: none, but the KV of `activity` is still there. */
  readonly state: 'empty' | 'idle' | 'busy';
  readonly activity?: string | undefined;
  /** Tokens that an idle lane holds. */
  readonly held: number;
  /** Cells granted to the turn of a busy lane. */
  readonly reserved: number;
  /** When its last turn ended, in ms; read for idle lanes. */
  readonly lastUse: number;
}

export interface QueueState {
  readonly waiting: readonly WaitingTurn[];
  readonly lanes: readonly LaneState[];
  /** Cells of the whole context. */
  readonly cells: number;
  /** What each mind has had. */
  readonly work: WorkRecord;
  readonly now: number;
}

export type Choice =
  | {
      readonly type: 'grant';
      readonly turn: WaitingTurn;
      readonly lane: number;
      /** Idle lanes of others to be cleared for their cells, besides what `lane` itself may hold. */
      readonly clear: readonly number[];
    }
  | { readonly type: 'wait'; readonly turn: WaitingTurn; readonly reason: 'lane' | 'cells' };

/** The next turn to grant, or why the first in order waits; undefined when nobody waits. */
export function choose(state: QueueState): Choice | undefined {
  const [head, ...behind] = inOrder(state);
  if (head === undefined) return undefined;
  const first = place(head, state);
  if (first.type === 'grant' || first.reason === 'lane') return first;
  let blocked = head;
  for (const turn of behind) {
    if (state.now - blocked.since >= PASSING_MS) break;
    const passing = place(turn, state);
    if (passing.type === 'grant') return passing;
    blocked = turn;
  }
  return first;
}

/** Effective class first, then the mind with the least work, then age. */
export function inOrder({ waiting, work, now }: QueueState): WaitingTurn[] {
  return [...waiting].sort(
    (a, b) =>
      effectiveRank(a, work, now) - effectiveRank(b, work, now) ||
      (work.counters.get(a.mind) ?? 0) - (work.counters.get(b.mind) ?? 0) ||
      a.since - b.since ||
      a.grant - b.grant,
  );
}

/** Why turns wait in this state: no lane is free, or one is but not enough cells. */
export const waitReason = (lanes: readonly LaneState[]): 'lane' | 'cells' =>
  lanes.some((lane) => lane.state !== 'busy') ? 'cells' : 'lane';

/** The refusal of a turn that asks for more cells than there are and so can never run; undefined when it can. */
export const admit = (turnCells: number, totalCells: number): TroupeError | undefined =>
  turnCells <= totalCells
    ? undefined
    : new ContextFull({ needTokens: turnCells, roomTokens: totalCells, contextTokens: totalCells });

/** 0 = realtime, lower goes first; a turn rises once, so one of background ends as interactive. */
function effectiveRank(turn: WaitingTurn, work: WorkRecord, now: number): number {
  const rank = TURN_CLASSES.indexOf(turn.class);
  const since = Math.max(turn.since, work.servedAt.get(turn.mind) ?? turn.since);
  return now - since >= AGEING_MS ? Math.max(0, rank - 1) : rank;
}

/** Lane and cells for one turn, whatever its place in the order. */
function place(turn: WaitingTurn, { lanes, cells }: QueueState): Choice {
  const idle = lanes.filter((lane) => lane.state === 'idle').sort((a, b) => a.lastUse - b.lastUse);
  const own = idle.findLast((lane) => lane.activity === turn.activity);
  const chosen = own ?? lanes.find((lane) => lane.state === 'empty') ?? idle[0];
  if (chosen === undefined) return { type: 'wait', turn, reason: waitReason(lanes) };
  let free = cells;
  for (const lane of lanes) {
    if (lane.state === 'busy') free -= lane.reserved;
    else if (lane !== chosen) free -= lane.held;
  }
  const clear: number[] = [];
  for (const lane of idle) {
    if (free >= turn.cells) break;
    if (lane === chosen || lane.held === 0) continue;
    clear.push(lane.lane);
    free += lane.held;
  }
  if (free < turn.cells) return { type: 'wait', turn, reason: waitReason(lanes) };
  return { type: 'grant', turn, lane: chosen.lane, clear };
}
