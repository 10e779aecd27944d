/**
 * How large the context is to be (B4): the smaller one that gives back so many bytes, and the larger one that a calm pool has
 * room for. Pure.
 *
 * A smaller context keeps the tokens that one lane may hold, so that every turn that could run still can; it has fewer
 * cells, and as many lanes as these are worth.
 */
import type { Shape } from '../engine/protocol.js';
import { type Pool, WARNING } from './pools.js';

/** Cells come in blocks of so many. */
const CELL_BLOCK = 256;

/** The largest that is smaller by `bytes`, or else the smallest there is; undefined: it is that already. */
export function smallerShape(shape: Shape, contextBytes: number, bytes: number): Shape | undefined {
  const cellBytes = contextBytes / shape.cells;
  if (!(cellBytes > 0)) return undefined;
  const cells = shape.cells - blocks(Math.ceil(bytes / cellBytes));
  const smaller = withCells(shape, Math.max(shape.context, cells));
  return smaller.cells < shape.cells ? smaller : undefined;
}

/** The largest up to `full` with which the pool stays calm; undefined: there is none that is larger. */
export function largerShape(
  shape: Shape,
  full: Shape,
  contextBytes: number,
  pool: Pick<Pool, 'usedBytes' | 'capacityBytes'>,
): Shape | undefined {
  const cellBytes = contextBytes / shape.cells;
  const roomBytes = WARNING * pool.capacityBytes - pool.usedBytes;
  if (!(cellBytes > 0) || shape.cells >= full.cells) return undefined;
  const more = Math.floor(roomBytes / cellBytes / CELL_BLOCK) * CELL_BLOCK;
  const cells = Math.min(full.cells, shape.cells + more);
  return cells > shape.cells ? withCells(full, cells) : undefined;
}

const blocks = (cells: number): number => Math.ceil(cells / CELL_BLOCK) * CELL_BLOCK;

/** As many lanes as there are for so many cells of a shape, and one at least. */
function withCells({ lanes, cells: all, context }: Shape, cells: number): Shape {
  return { lanes: Math.max(1, Math.min(lanes, Math.floor((lanes * cells) / all))), cells, context };
}
