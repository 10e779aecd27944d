/**
 * How many cells lanes take together, and which idle ones are vacated for some: cells that lanes share are counted once, as
 * far as the engine has said that they are shared. Pure.
 */
import { commonLength, countCells, cutTo, type Stretches } from '../engine/stretches.js';

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

/** Those that run: the cells of all others can be had. */
export const busyOf = <L extends LaneCells>(lanes: readonly L[]): L[] =>
  lanes.filter(({ state }) => state === 'busy');

/**
 * A lane as a turn takes it that needs so many cells. On its own lane, which holds its KV, it goes on with those that others
 * hold too: a run that cannot is sent back.
 */
export function taken<L extends LaneCells>(
  lane: L,
  own: LaneCells | undefined,
  need: number,
  lanes: readonly LaneCells[],
): L {
  const stretches = own === undefined ? [] : cutTo(own.stretches, sharedLength(own, lanes));
  return { ...lane, state: 'busy', held: 0, reserved: need, stretches };
}

function sharedLength(own: LaneCells, lanes: readonly LaneCells[]): number {
  const others = lanes.filter(({ lane }) => lane !== own.lane);
  const lengths = others.map(({ stretches }) => commonLength(own.stretches, stretches));
  return Math.min(own.held, Math.max(0, ...lengths));
}

/** Cells that are left for a lane that a turn takes: those that no other takes, and those that it shares. */
export const cellsLeft = (cells: number, others: readonly LaneCells[], lane: LaneCells): number =>
  cells - (cellsOf([...others, lane]) - lane.reserved);

/**
 * Idle lanes to be vacated so that a lane that a turn takes has room among so many cells: the least recently used first, but
 * none whose cells come free with the others or do not come free at all.
 */
export function lanesToVacate(lanes: readonly LaneCells[], chosen: LaneCells, cells: number): number[] {
  const others = lanes.filter(({ lane }) => lane !== chosen.lane);
  const leaving = new Set<number>();
  const fits = (): boolean => cellsOf([...others.filter(({ lane }) => !leaving.has(lane)), chosen]) <= cells;
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
