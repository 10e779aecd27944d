/**
 * Who gets a lane next, and which one: the order of waiting turns (T5) and the choice of lane and cells (T1).
 *
 * Pure: plain data in, one decision out; a grant is given whole or not at all, and a turn that waits holds nothing.
 * One pass over those who wait, or two where slots are kept, without sorting them: ten thousand may.
 */
import { ContextFull, type TroupeError } from '../../errors.js';
import type { Stretches } from '../engine/stretches.js';
import { type GeneRoom, sparesSlots } from './gene-room.js';
import type { HostRoom } from './host-room.js';
import { isPaused, type Lack, lackIn } from './lack.js';
import { type LaneCells, lanesToVacate, taken } from './lane-cells.js';
import type { Account } from './work.js';

/**
 * Milliseconds of waiting after which a turn is ordered one class higher; background never becomes realtime. A mind
 * that was granted another turn meanwhile has not waited: else the backlog of one that floods would age as a whole
 * and go before those who ask for little.
 */
export const AGEING_MS = 30_000;
/**
 * Milliseconds that a turn for which cells, gene slots or room for its page are missing lets others behind it pass. From then on what comes
 * free of them is kept for it, so that its wait ends with the turns that run now.
 */
export const PASSING_MS = 5_000;

export interface WaitingTurn {
  readonly grant: number;
  /** Of its mind. */
  readonly account: Account;
  /** The (mind, room) pair. */
  readonly activity: string;
  /** Of its class: 0 goes first, the last one is background. */
  readonly rank: number;
  /** When it came, in ms of the same clock as `now`. */
  readonly since: number;
  /** KV places for its prompt and reply. */
  readonly cells: number;
  /** Its phenotype's genes, each once. */
  readonly genes: readonly number[];
  /** It is not granted before this time. */
  readonly notBefore: number;
  /** Lanes were taken back for it: it lets no smaller one pass. */
  readonly keeps: boolean;
}

/** busy: a turn runs; idle: none, but the KV of `activity` is still there. */
export interface LaneState extends LaneCells {
  /** The latest that it was given out for; 0: it is empty. */
  readonly grant: number;
  readonly activity?: string | undefined;
  /** What a page of what an idle lane holds would be charged. */
  readonly bytes: number;
}

export interface QueueState<T extends WaitingTurn> {
  readonly waiting: Iterable<T>;
  readonly lanes: readonly LaneState[];
  /** Cells of the whole context. */
  readonly cells: number;
  /** Tokens in the page of an activity that has one; they come into its lane. */
  readonly paged: (activity: string) => number;
  readonly genes: GeneRoom;
  readonly host: HostRoom;
  readonly now: number;
}

/** The turns for which what comes free is kept: of each kind the first. */
export interface Kept<T extends WaitingTurn> {
  readonly cells: T | undefined;
  readonly genes: T | undefined;
  readonly host: T | undefined;
}

export interface Placement<T extends WaitingTurn> {
  readonly turn: T;
  readonly lane: number;
  /** Cells that the lane must have room for: those of the turn, and what the lane holds until its run begins. */
  readonly cells: number;
  /** The first of these cells, which others hold too and the run keeps. */
  readonly stretches: Stretches;
  /** Idle lanes of other activities to be vacated, for their cells or, `lane` itself, for its place. */
  readonly vacate: readonly number[];
}

/** The next turn to grant and where it goes; undefined when none can be granted now. */
export function choose<T extends WaitingTurn>(state: QueueState<T>): Placement<T> | undefined {
  if (state.lanes.every((lane) => lane.state === 'busy')) return undefined;
  const lack = lackIn(state);
  const { first, kept } = survey(state, lack);
  const keeper = first && keeperOf(first, kept, state);
  const next = keeper === 'genes' ? firstBeside(kept, state, lack) : first;
  return next === undefined || keeper === 'cells' || keeper === 'host' ? undefined : place(next, state);
}

interface Survey<T extends WaitingTurn> {
  /** The first that lacks nothing. */
  readonly first: T | undefined;
  readonly kept: Kept<T>;
}

/** One look at each of those who wait. */
export function survey<T extends WaitingTurn>(
  { waiting, now }: QueueState<T>,
  lack: (turn: T) => Lack | undefined,
): Survey<T> {
  const first: Partial<Record<'none' | Lack, T>> = {};
  for (const turn of waiting) {
    const lacking = lack(turn) ?? 'none';
    const passes = now - turn.since < PASSING_MS && !turn.keeps;
    if (lacking !== 'none' && (passes || isPaused(turn, now))) continue;
    const before = first[lacking];
    if (before === undefined || isAhead(turn, before, now)) first[lacking] = turn;
  }
  return { first: first.none, kept: { cells: first.cells, genes: first.genes, host: first.host } };
}

/** The first that lacks nothing, and nothing of what is kept. */
function firstBeside<T extends WaitingTurn>(
  kept: Kept<T>,
  state: QueueState<T>,
  lack: (turn: T) => Lack | undefined,
): T | undefined {
  let first: T | undefined;
  for (const turn of state.waiting) {
    if (lack(turn) !== undefined || keeperOf(turn, kept, state) !== undefined) continue;
    if (first === undefined || isAhead(turn, first, state.now)) first = turn;
  }
  return first;
}

/** What a turn that lacks nothing is not given, for it is kept for one ahead of it. */
export function keeperOf<T extends WaitingTurn>(
  turn: T,
  kept: Kept<T>,
  { genes, now }: QueueState<T>,
): 'cells' | 'genes' | 'host' | undefined {
  if (kept.cells !== undefined && isAhead(kept.cells, turn, now)) return 'cells';
  if (kept.host !== undefined && isAhead(kept.host, turn, now)) return 'host';
  if (kept.genes === undefined || !isAhead(kept.genes, turn, now)) return undefined;
  return sparesSlots(genes, turn.genes, kept.genes.genes) ? undefined : 'genes';
}

/** Whether `a` goes before `b`: effective class first, then the mind with the least work, then age. */
export function isAhead(a: WaitingTurn, b: WaitingTurn, now: number): boolean {
  const classes = effectiveRank(a, now) - effectiveRank(b, now);
  if (classes !== 0) return classes < 0;
  return (a.account.work - b.account.work || a.since - b.since || a.grant - b.grant) < 0;
}

/** The refusal of a turn that asks for more cells than there are and so can never run; undefined when it can. */
export const admit = (turnCells: number, totalCells: number): TroupeError | undefined =>
  turnCells <= totalCells
    ? undefined
    : new ContextFull({ needTokens: turnCells, roomTokens: totalCells, contextTokens: totalCells });

/** A turn rises by one class once, so one of background ends as interactive. */
function effectiveRank({ rank, since, account }: WaitingTurn, now: number): number {
  if (rank === 0) return 0;
  const waitingSince = account.servedAt > since ? account.servedAt : since;
  return now - waitingSince >= AGEING_MS ? rank - 1 : rank;
}

/** Lane and cells for a turn that has room beside those that run. */
function place<T extends WaitingTurn>(turn: T, { lanes, cells, paged }: QueueState<T>): Placement<T> {
  const idle = lanes.filter((lane) => lane.state === 'idle').sort((a, b) => a.lastUse - b.lastUse);
  const own = idle.findLast((lane) => lane.activity === turn.activity);
  const chosen = own ?? lanes.find((lane) => lane.state === 'empty') ?? (idle[0] as LaneState);
  const need = Math.max(turn.cells, own?.held ?? paged(turn.activity));
  const forPlace = chosen.held > 0 && own === undefined ? [chosen.lane] : [];
  const lane = taken(chosen, own, need, lanes);
  const vacate = [...forPlace, ...lanesToVacate(lanes, lane, cells)];
  return { turn, lane: chosen.lane, cells: need, stretches: lane.stretches, vacate };
}
