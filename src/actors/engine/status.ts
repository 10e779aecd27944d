/**
 * What the main thread and the engine share in memory: progress of the load, flags, counters, and what each lane does, so
 * that it can be seen while the engine is in the middle of a step.
 */
import { type ActorId, generationOf, makeId, NOBODY, slotOf, threadOf } from '../../runtime/address.js';
import type { Lane } from './lane.js';
import type { Shape } from './protocol.js';

/**
 * `progress` in thousandths; `cancel` and `abort` are set by the main thread; `steps`, `processed` and `produced` are counters
 * that only go up, as are checkpoints `evicted` and `skipped`; `lanes` and `context` (tokens that one lane may hold) are those
 * of the context that there is now, and so are `checkpoints`, in blocks of bytes.
 */
export const Status = {
  ...{ progress: 0, cancel: 1, abort: 2, steps: 3, processed: 4, produced: 5 },
  ...{ lanes: 6, context: 7 },
  ...{ checkpoints: 8, evicted: 9, skipped: 10 },
} as const;

export const MAX_LANES = 256;
const HEADER = 11;
/** Bytes of all checkpoints may be more than a number of 32 bits holds. */
const CHECKPOINT_BLOCK = 4096;
const LANE_FIELDS = 6;
const LaneField = { running: 0, held: 1, thread: 2, slot: 3, generation: 4, produced: 5 } as const;

export interface LaneReport {
  readonly lane: number;
  readonly state: 'empty' | 'idle' | 'running';
  /** Tokens in its KV. */
  readonly held: number;
  /** The mind whose KV it is; 0 = none. */
  readonly mind: ActorId;
}

/** Room for as many lanes as a context can ever have. */
export const createStatus = (): Int32Array =>
  new Int32Array(new SharedArrayBuffer(4 * (HEADER + LANE_FIELDS * MAX_LANES)));

/** Of the context that is open from now on. */
export function showShape(status: Int32Array, { lanes, context }: Pick<Shape, 'lanes' | 'context'>): void {
  Atomics.store(status, Status.context, context);
  Atomics.store(status, Status.lanes, lanes);
}

export const readStatus = (status: Int32Array, field: number): number => Atomics.load(status, field);

/** A counter: it begins anew at 0 after 2^32. */
export const readCount = (status: Int32Array, field: number): number => readStatus(status, field) >>> 0;

/** Adds to a counter. */
export function count(status: Int32Array, field: number, by: number): void {
  status[field] = ((status[field] as number) + by) | 0;
}

export interface CheckpointReport {
  /** That the checkpoints of all lanes take. */
  readonly bytes: number;
  /** Dropped to stay in the budget, and not kept because they found no room in it, of all so far. */
  readonly evicted: number;
  readonly skipped: number;
}

export const showCheckpoints = (status: Int32Array, bytes: number): void => {
  status[Status.checkpoints] = Math.ceil(bytes / CHECKPOINT_BLOCK);
};

export const readCheckpoints = (status: Int32Array): CheckpointReport => ({
  bytes: readStatus(status, Status.checkpoints) * CHECKPOINT_BLOCK,
  evicted: readCount(status, Status.evicted),
  skipped: readCount(status, Status.skipped),
});

/** Shows a lane as it is now. */
export function showLane(status: Int32Array, lane: Lane, mind: ActorId | undefined): void {
  const at = HEADER + LANE_FIELDS * lane.number;
  status[at + LaneField.running] = lane.run === undefined ? 0 : 1;
  status[at + LaneField.held] = lane.held;
  status[at + LaneField.produced] = lane.run === undefined ? 0 : lane.run.produced - lane.run.before;
  if (mind === undefined) return;
  status[at + LaneField.thread] = threadOf(mind);
  status[at + LaneField.slot] = slotOf(mind);
  status[at + LaneField.generation] = generationOf(mind);
}

/** Tokens that the run on a lane has produced so far. */
export const readProduced = (status: Int32Array, lane: number): number =>
  status[HEADER + LANE_FIELDS * lane + LaneField.produced] as number;

export function readLanes(status: Int32Array): LaneReport[] {
  const lanes = readStatus(status, Status.lanes);
  return Array.from({ length: lanes }, (_, lane) => {
    const field = (index: number): number => status[HEADER + LANE_FIELDS * lane + index] as number;
    const held = field(LaneField.held);
    const state = field(LaneField.running) !== 0 ? 'running' : held > 0 ? 'idle' : 'empty';
    const generation = field(LaneField.generation);
    const mind =
      state === 'empty' || generation === 0
        ? NOBODY
        : makeId(field(LaneField.thread), field(LaneField.slot), generation);
    return { lane, state, held, mind };
  });
}
