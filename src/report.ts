/**
 * What `inspect` shows: the actors and threads, the lanes, and the engine's counters. Reads shared memory and asks nobody.
 */
import {
  type CheckpointReport,
  type LaneReport,
  readCheckpoints,
  readCount,
  readLanes,
  Status,
} from './actors/engine/status.js';
import type { SystemReport } from './runtime/inspect.js';
import type { System } from './runtime/system.js';

export interface TroupeReport extends SystemReport {
  readonly lanes: readonly LaneReport[];
  readonly tokens: { readonly processed: number; readonly produced: number };
  readonly steps: number;
  /** Of lanes of models that cannot be cut back to any position; there are none with others. */
  readonly checkpoints: CheckpointReport;
}

export const reportOf = (system: System, status: Int32Array): TroupeReport => ({
  ...system.inspect(),
  lanes: readLanes(status),
  tokens: {
    processed: readCount(status, Status.processed),
    produced: readCount(status, Status.produced),
  },
  steps: readCount(status, Status.steps),
  checkpoints: readCheckpoints(status),
});
