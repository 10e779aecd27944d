/**
 * Checkpoints of lanes whose KV cannot be cut back to any position (recurrent, hybrid, sliding window): leaves them where
 * they are due, and takes a lane back to one. One budget over all lanes; the native side says who loses one for it (P7).
 */
import type { NativeContext } from '../../native/addon.js';
import type { EvictedCheckpoint } from '../../native/pages.js';
import type { Lane } from './lane.js';
import { isDue, type Marks, rowsToMark } from './marks.js';
import { count, Status, showCheckpoints } from './status.js';

export interface CheckpointListener {
  /** All of them take more bytes than before, or fewer. */
  resized(): void;
  /** A lane lost one to the budget. */
  evicted(checkpoint: EvictedCheckpoint): void;
  /** So many of a lane were not kept, as the budget has no room for them. */
  skipped(lane: number, checkpoints: number): void;
  /** A lane could not be taken back to one, and is empty. */
  unrestored(lane: number, error: unknown): void;
}

export class Checkpoints {
  readonly #context: NativeContext;
  readonly #status: Int32Array;
  readonly #listener: CheckpointListener;
  readonly #keeps: boolean;
  #bytes = 0;

  /** `keeps`: whether there may be lanes of this model that cannot be cut. */
  constructor(context: NativeContext, status: Int32Array, listener: CheckpointListener, keeps: boolean) {
    this.#context = context;
    this.#status = status;
    this.#listener = listener;
    this.#keeps = keeps;
  }

  /** How many tokens a lane takes in at most before it is to be kept as it is. */
  room(lane: Lane): number {
    const marks = this.#marksOf(lane);
    return marks === undefined ? Number.POSITIVE_INFINITY : rowsToMark(lane.held, marks);
  }

  /** Before a lane goes on: keeps it as it is, if that is due. */
  keep(lane: Lane): void {
    const marks = this.#marksOf(lane);
    if (marks === undefined || lane.held === 0 || !isDue(lane.held, lane.kept, marks)) return;
    this.observe(lane, () => this.#context.checkpoint(lane.number));
    // One that found no room is not tried again at each token.
    lane.kept = lane.held;
  }

  /** Takes a lane back to its first `length` tokens, or as near before them as can be; answers how many it holds then. */
  cut(lane: Lane, length: number): number {
    const held = this.#context.cut(lane.number, length) ? length : this.#restore(lane.number, length);
    this.sync(lane);
    return held;
  }

  /** What the lane holds has changed. */
  sync(lane: Lane): void {
    if (!this.#keeps) return;
    lane.kept = this.#context.checkpoints(lane.number).at(-1)?.position ?? 0;
    this.#show();
  }

  /** Does what may keep checkpoints of a lane, and tells what was lost for them and what was not kept. */
  observe(lane: Lane, keep: () => void): void {
    if (!this.#keeps) return keep();
    const before = this.#context.checkpointCounts().skipped;
    keep();
    const evicted = this.#context.evictedCheckpoints();
    const skipped = this.#context.checkpointCounts().skipped - before;
    for (const checkpoint of evicted) this.#listener.evicted(checkpoint);
    if (skipped > 0) this.#listener.skipped(lane.number, skipped);
    count(this.#status, Status.evicted, evicted.length);
    count(this.#status, Status.skipped, skipped);
    this.#show();
  }

  #restore(lane: number, length: number): number {
    let held: number | undefined;
    try {
      held = this.#context.restoreCheckpoint(lane, Math.min(length, this.#context.length(lane)));
    } catch (error) {
      this.#listener.unrestored(lane, error);
    }
    if (held === undefined) this.#context.clear(lane);
    return held ?? 0;
  }

  #marksOf({ run }: Lane): Marks | undefined {
    if (!this.#keeps || run === undefined) return undefined;
    return { partings: run.request.partings, replyAt: run.replyAt };
  }

  #show(): void {
    const { bytes } = this.#context.checkpointCounts();
    showCheckpoints(this.#status, bytes);
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#listener.resized();
  }
}
