/**
 * How many cells lanes take together, and which idle ones are vacated for some: cells that lanes share are counted once, as
 * far as the engine has said that they are shared. Pure.
 */
import { countCells, type Stretches } from '../engine/stretches.js';

/** What of a lane decides how many cells it takes. */
export interface LaneCells {
  readonly lane: number;
  readonly state: 'empty' | 'idle' | 'busy';
  /** Tokens that an idle lane holds. */
  readonly held: number;
  /** Cells granted to the turn of a busy lane. */
  readonly reserved: number;
  /** The first of these cells, if others hold some of them too. */
  readonly stretches: Stretches;
  /** When its last turn ended, in ms; read for idle lanes. */
  readonly lastUse: number;
}

export const cellsOf = (lanes: readonly LaneCells[]): number =>
  countCells(lanes.map(({ held, reserved, stretches }) => ({ cells: held + reserved, stretches })));

/** Cells of those that run: all others can be had. */
export const busyCells = (lanes: readonly LaneCells[]): number =>
  cellsOf(lanes.filter(({ state }) => state === 'busy'));

/**
 * Idle lanes to be vacated so that so few cells are taken by all but `chosen`: the least recently used first, but none
 * whose cells come free with the others or do not come free at all.
 */
export function lanesToVacate(lanes: readonly LaneCells[], chosen: number, most: number): number[] {
  const others = lanes.filter(({ lane }) => lane !== chosen);
  const leaving = new Set<number>();
  const fits = (): boolean => cellsOf(others.filter(({ lane }) => !leaving.has(lane))) <= most;
  const idle = others
    .filter(({ state, held }) => state === 'idle' && held > 0)
    .sort((a, b) => a.lastUse - b.lastUse);
  for (const { lane } of idle) {
    if (fits()) break;
    leaving.add(lane);
  }
  for (const { lane } of idle.toReversed()) {
    if (leaving.delete(lane) && !fits()) leaving.add(lane);
  }
  return idle.map(({ lane }) => lane).filter((lane) => leaving.has(lane));
}
