/**
 * Which running turns give up their lanes for the one that is next (T5), and how long they may take. Pure.
 *
 * A turn of a higher class waits a moment only; one of the same class until the running one has had a fair share, and only
 * if it stays ahead of that one: else the lane would go back to where it came from. Nobody gives up a lane in vain: if all
 * that may go would not make room, none goes.
 */
import { type HeldGenes, lacksSlots, roomOf } from './gene-room.js';
import { isAhead, type WaitingTurn } from './queue.js';

/** Milliseconds that a turn waits before one of a lower class gives up its lane for it. */
export const RECLAIM_AFTER_MS = 1_000;
/** What a turn has had when it gives up its lane for another of its class: tokens produced, and milliseconds. */
export const FAIR_TOKENS = 512;
export const FAIR_MS = 20_000;

/** Milliseconds that the holder of a lane may take to end its run: a step of a large model, and the copy into a page. */
const GRACE_MS = 1_000;
/** And its words, on their way there and back. */
const WORDS_MS = 1_000;
const LEAST_MS = 100;

/** `leftMs`: whoever wants the lanes back wants them within so long. */
export const reclaimDeadlineMs = (leftMs: number): number =>
  Math.max(LEAST_MS, Math.min(GRACE_MS + WORDS_MS, leftMs));

export interface RunningTurn extends WaitingTurn {
  /** When it got its lane. */
  readonly grantedAt: number;
  /** Tokens that it has produced since. */
  readonly produced: number;
  /** Its cells come free with it, and its genes, but those of either that others hold too. */
  readonly lane: number;
  /** Whether it has been told to give them up already. */
  readonly reclaiming: boolean;
}

export interface ReclaimState {
  /** The turn that is next and cannot be granted. */
  readonly next: WaitingTurn;
  /** Those that hold a lane and can be told. */
  readonly running: readonly RunningTurn[];
  /** Whether a lane is free: an idle one is. */
  readonly hasLane: boolean;
  /** The cells that are free once these turns are gone: those of idle lanes are. */
  readonly freeCells: (gone: readonly RunningTurn[]) => number;
  /** Cells that it needs. */
  readonly need: number;
  readonly genes: HeldGenes;
  readonly now: number;
}

/**
 * Those to be told now, by their grants: of as low a class as suffices, and of these one that suffices alone if there is such a
 * one, else no more than it takes.
 */
export function chooseReclaims(state: ReclaimState): number[] {
  const { next, running, now } = state;
  const going = running.filter(({ reclaiming }) => reclaiming);
  const suffice = (turns: readonly RunningTurn[]): boolean => fits(state, [...going, ...turns]);
  if (suffice([])) return [];
  const candidates = running
    .filter((turn) => !turn.reclaiming && givesWay(turn, next, now))
    .sort(
      (a, b) => b.rank - a.rank || workOf(b) - workOf(a) || a.grantedAt - b.grantedAt || a.grant - b.grant,
    );
  for (const rank of new Set(candidates.map((turn) => turn.rank))) {
    const these = candidates.filter((turn) => turn.rank >= rank);
    if (!suffice(these)) continue;
    const alone = these.find((turn) => suffice([turn]));
    return (alone ? [alone] : fewest(these, suffice)).map(({ grant }) => grant);
  }
  return [];
}

/** Whether the next turn has all that it lacks when these have given theirs up. */
function fits(state: ReclaimState, gone: readonly RunningTurn[]): boolean {
  const { next, hasLane, freeCells, need, genes } = state;
  if (!hasLane && gone.length === 0) return false;
  if (freeCells(gone) < need) return false;
  return !lacksSlots(roomOf(genes, new Set(gone.map(({ grant }) => grant))), next.genes);
}

/** Without those that it does not take, the last first. */
function fewest(
  turns: readonly RunningTurn[],
  suffice: (turns: readonly RunningTurn[]) => boolean,
): readonly RunningTurn[] {
  let kept = turns;
  for (const turn of [...turns].reverse()) {
    const others = kept.filter((other) => other !== turn);
    if (suffice(others)) kept = others;
  }
  return kept;
}

/** Whether a running turn gives up its lane for a waiting one. */
export function givesWay(turn: RunningTurn, next: WaitingTurn, now: number): boolean {
  if (next.rank < turn.rank) return now - next.since >= RECLAIM_AFTER_MS;
  if (next.rank > turn.rank) return false;
  if (turn.produced < FAIR_TOKENS || now - turn.grantedAt < FAIR_MS) return false;
  const account = { work: workOf(turn), servedAt: now };
  return isAhead(next, { ...turn, account }, now);
}

/** What its mind has had when the run ends now. */
const workOf = ({ account, produced }: RunningTurn): number => account.work + 2 * produced;
