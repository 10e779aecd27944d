/**
 * Which room on disk is read next, of those that turns wait for. Pure.
 *
 * What is read lies in memory until its turn is granted, and pages of rooms that wait make room for nobody: so only what is
 * near its turn is read, and the rest stays on disk.
 */
import { isAhead, type WaitingTurn } from './queue.js';

/** Rooms that are read, or were and wait for their lanes, before a turn: enough to keep disk and lanes busy. */
export const READ_AHEAD = 8;

/** `wanting`: those whose room is on disk; `busy`: those whose room is being read, or was. */
export function nextRead<T extends WaitingTurn>(
  wanting: Iterable<T>,
  busy: readonly T[],
  now: number,
): T | undefined {
  let first: T | undefined;
  for (const turn of wanting) if (first === undefined || isAhead(turn, first, now)) first = turn;
  if (first === undefined) return undefined;
  const next = first;
  return busy.filter((turn) => isAhead(turn, next, now)).length < READ_AHEAD ? next : undefined;
}
