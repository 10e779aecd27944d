/**
 * Which cells a lane holds, so that those that lanes share can be counted once. Pure.
 *
 * A cell is known by its origin and its position. A lane has an origin of its own for the cells that it computes, and takes
 * a new one when it is about to compute some that would else be called like others that are still there. Lanes share
 * beginnings only, so two that hold one cell hold the same cells before it.
 */

export interface Stretch {
  readonly origin: number;
  /** The position after its last; it begins where the one before it ends. */
  readonly to: number;
}

/** From the first position on, without a gap. */
export type Stretches = readonly Stretch[];

export const lengthOf = (stretches: Stretches): number => stretches.at(-1)?.to ?? 0;

/** Those of the positions before this one. */
export function cutTo(stretches: Stretches, to: number): Stretches {
  if (lengthOf(stretches) <= to) return stretches;
  const kept: Stretch[] = [];
  for (const stretch of stretches) {
    if (lengthOf(kept) >= to) break;
    kept.push({ ...stretch, to: Math.min(stretch.to, to) });
  }
  return kept;
}

/** How many cells from the first on are the same ones. */
export function commonLength(a: Stretches, b: Stretches): number {
  let length = 0;
  for (const [i, { origin, to }] of a.entries()) {
    const other = b[i];
    if (other?.origin !== origin) break;
    length = Math.min(to, other.to);
    if (to !== other.to) break;
  }
  return length;
}

/** So many cells; the first of them are known, and may be others' too; those after them are nobody else's. */
export interface Holding {
  readonly cells: number;
  readonly stretches: Stretches;
}

type Interval = readonly [from: number, to: number];

/** Cells that all of them take together, each counted once. */
export function countCells(holdings: Iterable<Holding>): number {
  const origins = new Map<number, Interval[]>();
  let count = 0;
  for (const { cells, stretches } of holdings) {
    let from = 0;
    for (const { origin, to } of cutTo(stretches, cells)) {
      const intervals = origins.get(origin) ?? [];
      origins.set(origin, intervals);
      intervals.push([from, to]);
      from = to;
    }
    count += cells - from;
  }
  for (const intervals of origins.values()) count += covered(intervals);
  return count;
}

function covered(intervals: Interval[]): number {
  let [length, end] = [0, 0];
  for (const [from, to] of intervals.sort((a, b) => a[0] - b[0])) {
    length += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return length;
}
