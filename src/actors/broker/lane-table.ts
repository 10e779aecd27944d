/**
 * What the broker knows of the lanes: from its own grants and from what the engine says, never by asking.
 *
 * It errs on the side of cells: what a lane may still hold counts until the engine has been told to clear it, and cells are
 * a lane's own until the engine has said that others hold them too, so that the lanes together never hold more than there
 * is.
 */
import type { Activity } from '../activity.js';
import { lengthOf, type Stretches } from '../engine/stretches.js';
import type { LaneState, Placement, WaitingTurn } from './queue.js';

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

  /** Grants a lane. Its run may give up what the lane shares but for these cells; all others count as its own. */
  take(lane: number, { grant, activity }: Granted, { cells, stretches }: Taken, now: number): void {
    this.#before.set(lane, this.#lanes[lane] as LaneState);
    const taken = { grant, activity, reserved: cells, stretches, lastUse: now };
    this.#lanes[lane] = { ...emptyLane(lane), ...taken, state: 'busy' };
  }

  /** Others hold these cells of a lane too, as long as it has this grant. One that has another by now counts as its own. */
  share(lane: number, grant: number, stretches: Stretches): void {
    const state = this.#lanes[lane];
    const before = this.#before.get(lane);
    if (state?.grant === grant) this.#lanes[lane] = { ...state, stretches };
    else if (before?.grant === grant) this.#before.set(lane, { ...before, stretches });
  }

  /** Whether a lane that was granted, and is not used yet, holds the KV of its activity. */
  continues(lane: number): boolean {
    const before = this.#before.get(lane);
    return before?.state === 'idle' && before.activity === this.#lanes[lane]?.activity;
  }

  /** How many of its first cells a busy lane is taken to share. */
  sharing(lane: number): number {
    return lengthOf(this.#lanes[lane]?.stretches ?? []);
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
  settle(lane: number, activity: Activity | undefined, { held, bytes, stretches }: Held, now: number): void {
    const grant = this.#lanes[lane]?.grant ?? 0;
    const left = { grant, activity, held, bytes, stretches, lastUse: now };
    this.#lanes[lane] =
      activity === undefined ? emptyLane(lane) : { ...emptyLane(lane), ...left, state: 'idle' };
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

type Granted = Pick<WaitingTurn, 'grant' | 'activity'>;
type Taken = Pick<Placement<WaitingTurn>, 'cells' | 'stretches'>;
type Held = Pick<LaneState, 'held' | 'bytes' | 'stretches'>;

const emptyLane = (lane: number): LaneState => ({
  lane,
  state: 'empty',
  grant: 0,
  held: 0,
  stretches: [],
  bytes: 0,
  reserved: 0,
  lastUse: 0,
});
