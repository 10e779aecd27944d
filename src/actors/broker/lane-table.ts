/**
 * What the broker knows of the lanes: from its own grants and from what the engine says, never by asking.
 *
 * It errs on the side of cells: what a lane may still hold counts until the engine has been told to clear it, so that
 * the lanes together never hold more than there is.
 */
import type { Activity } from '../engine/protocol.js';
import type { LaneState } from './queue.js';

export class LaneTable {
  #lanes: LaneState[] = [];
  /** What a busy lane held before its grant: it still does if the grant is given back unused. */
  #before = new Map<number, LaneState>();

  get all(): readonly LaneState[] {
    return this.#lanes;
  }

  /** A new engine: so many empty lanes. */
  open(count: number): void {
    this.#before.clear();
    this.#lanes = Array.from({ length: count }, (_, lane) => emptyLane(lane));
  }

  /** Empties an idle lane; answers what it held. */
  vacate(lane: number): LaneState {
    const before = this.#lanes[lane] as LaneState;
    this.#lanes[lane] = emptyLane(lane);
    return before;
  }

  /** Grants a lane. */
  take(lane: number, activity: Activity, cells: number, now: number): void {
    this.#before.set(lane, this.#lanes[lane] as LaneState);
    this.#lanes[lane] = { lane, state: 'busy', activity, held: 0, bytes: 0, reserved: cells, lastUse: now };
  }

  /** Whether a lane that was granted, and is not used yet, holds the KV of its activity. */
  continues(lane: number): boolean {
    const before = this.#before.get(lane);
    return before?.state === 'idle' && before.activity === this.#lanes[lane]?.activity;
  }

  /** A grant was never used. */
  giveBack(lane: number): void {
    this.#lanes[lane] = this.#before.get(lane) ?? emptyLane(lane);
  }

  /** An idle lane holds less than it did; if it was granted meanwhile, that counts should the grant be given back. */
  shrink(lane: number, activity: Activity, held: number): void {
    const state = this.#lanes[lane];
    const before = this.#before.get(lane);
    if (state?.state === 'idle') this.#lanes[lane] = shrunk(state, activity, held);
    else if (before !== undefined) this.#before.set(lane, shrunk(before, activity, held));
  }

  /** A run has ended, and this is what the lane holds now. */
  settle(lane: number, activity: Activity | undefined, { held, bytes }: Held, now: number): void {
    this.#lanes[lane] =
      activity === undefined
        ? emptyLane(lane)
        : { lane, state: 'idle', activity, held, bytes, reserved: 0, lastUse: now };
  }

  /** The idle lane that holds an activity. */
  idle(activity: Activity): LaneState | undefined {
    return this.#lanes.find((lane) => lane.state === 'idle' && lane.activity === activity);
  }
}

const shrunk = (lane: LaneState, activity: Activity, held: number): LaneState => {
  if (lane.activity !== activity) return lane;
  return held === 0 ? emptyLane(lane.lane) : { ...lane, held };
};

type Held = Pick<LaneState, 'held' | 'bytes'>;

const emptyLane = (lane: number): LaneState => ({
  lane,
  state: 'empty',
  held: 0,
  bytes: 0,
  reserved: 0,
  lastUse: 0,
});
