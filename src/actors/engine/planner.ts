/**
 * Which rows go in the next step: the decoding lanes' one row each first, then prompt rows as far as the time allows.
 *
 * While somebody decodes, a step may take only a little longer than the decodes alone, so that a long prompt shows
 * to the others as slower text and never as a stop. Pure: reads plain data and the learned cost, changes nothing.
 */
import { company } from './company.js';
import type { StepCost } from './cost.js';

/**
 * A step with prompt rows may take this many times what its decodes take alone. The others' gaps are then about so
 * many times their usual one. With f of it a prompt takes some 1.5 f / (f - 1) times its time alone, as rows in small
 * steps cost half as much again as in large ones: 2.2 leaves gaps (bar: 2.5) and prompts (bar: 3) the same margin.
 */
export const STEP_FACTOR = 2.2;
/**
 * After so many steps with prompt rows one goes without: what decodes take alone is measured anew, or a budget made
 * of it would not follow a machine that became slower or faster meanwhile.
 */
export const MEASURE_AFTER_STEPS = 32;
/** No step is held to less than this, in ms: a gap of one frame of a 60 Hz screen is seen by nobody. */
export const STEP_FLOOR_MS = 16;
/**
 * A prompt always gets a row; where that first row alone costs more than the budget (two rows can cost three times
 * one), the step may grow to this many times its cost, for the next rows are then nearly free.
 */
export const FIRST_ROW_STRETCH = 1.25;
/** Part of the prompt rows that the oldest of several prompts gets; the others share the rest evenly. */
export const OLDEST_PART = 0.5;

export interface LaneWork {
  readonly lane: number;
  readonly kind: 'decode' | 'prompt';
  /** Prompt tokens still to process; not read for a decode, which always has one row. */
  readonly pending: number;
  /** Order of arrival: lower came earlier. */
  readonly order: number;
  /** Number of the step that had its last row; -1 = none yet. */
  readonly served: number;
}

export interface StepLimits {
  /** Most rows of one step; above the number of lanes, so that decodes alone can never fill a step. */
  readonly rows: number;
  /** Recurrent and hybrid models: a step is either decodes or a chunk of one prompt, in turns. */
  readonly split: boolean;
  /** Whether the step before was a prompt's; read only when `split`. */
  readonly afterPrompt: boolean;
}

export interface LaneShare {
  readonly lane: number;
  /** Rows of this lane in the step: 1 or more. */
  readonly count: number;
}

/** The shares of the next step, decodes first; empty when no lane has work. */
export function plan(lanes: readonly LaneWork[], limits: StepLimits, cost: StepCost): LaneShare[] {
  const prompts = lanes.filter((work) => work.kind === 'prompt' && work.pending > 0);
  const decoding = lanes.filter((work) => work.kind === 'decode').slice(0, limits.rows);
  const oldest = prompts.sort((a, b) => a.order - b.order)[0];
  if (oldest === undefined) return rowEach(company(decoding, cost));
  const decodes = rowEach(decoding);
  if (limits.split) {
    if (decodes.length > 0 && limits.afterPrompt) return decodes;
    const most = Math.min(limits.rows, oldest.pending);
    const budget = stepBudget(decodes.length, cost) - cost.predict(decodes.length);
    return [{ lane: oldest.lane, count: decodes.length === 0 ? most : rowsWithin(budget, 0, most, cost) }];
  }
  if (decodes.length > 0 && cost.age(decodes.length) >= MEASURE_AFTER_STEPS) return decodes;
  const pending = prompts.reduce((sum, work) => sum + work.pending, 0);
  const most = Math.min(limits.rows - decodes.length, pending);
  const budget = stepBudget(decodes.length, cost);
  const rows = decodes.length === 0 ? most : rowsWithin(budget, decodes.length, most, cost);
  return [...decodes, ...divide(rows, prompts)];
}

const rowEach = (lanes: readonly { lane: number }[]): LaneShare[] =>
  lanes.map(({ lane }) => ({ lane, count: 1 }));

/** Milliseconds that a step may take while `decodes` lanes decode. */
export function stepBudget(decodes: number, cost: StepCost): number {
  return Math.max(STEP_FACTOR * cost.predict(decodes), STEP_FLOOR_MS);
}

/** Most rows, 1 to `most`, that `base` others can take with them and stay within the budget. */
function rowsWithin(budgetMs: number, base: number, most: number, cost: StepCost): number {
  const limit = Math.max(budgetMs, FIRST_ROW_STRETCH * cost.predict(base + 1));
  let fits = 0;
  let over = most + 1;
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (cost.predict(base + middle) <= limit) fits = middle;
    else over = middle;
  }
  return fits;
}

/** Divides prompt rows: a part to the oldest, the rest evenly, and what some cannot use to the oldest that can. */
function divide(rows: number, oldestFirst: readonly LaneWork[]): LaneShare[] {
  const counts = new Array<number>(oldestFirst.length).fill(0);
  let left = rows;
  const give = (i: number, count: number): void => {
    const given = Math.min(count, left, (oldestFirst[i] as LaneWork).pending - (counts[i] as number));
    counts[i] = (counts[i] as number) + given;
    left -= given;
  };
  const others = oldestFirst.length - 1;
  give(0, others === 0 ? rows : Math.ceil(rows * OLDEST_PART));
  const each = Math.ceil(left / Math.max(1, others));
  for (let i = 1; i <= others; i++) give(i, each);
  for (let i = 0; i <= others && left > 0; i++) give(i, left);
  return oldestFirst.flatMap((work, i) =>
    counts[i] === 0 ? [] : [{ lane: work.lane, count: counts[i] as number }],
  );
}
