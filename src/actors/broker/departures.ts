/**
 * Lanes that leave to disk before the context is made smaller (B4), one after another, the one least recently used first: so
 * no more than one lane's state is in memory beside the context. What a turn waits for stays, and where disk cannot take a lane's
 * page, that stays in memory and no other leaves: the engine takes those out when it makes the context anew.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { PageRecord } from '../engine/protocol.js';
import type { LaneState } from './queue.js';
import type { Written } from './writings.js';

export interface DeparturesOf {
  lanes(): readonly LaneState[];
  isWanted(activity: Activity): boolean;
  /** Has what an idle lane holds go into a page; answers that, when it is made. Undefined: it could not be. */
  pageOut(lane: LaneState): Promise<PageRecord | undefined>;
  readonly writings: { write(records: readonly PageRecord[], pager: ActorId): Promise<Written>[] };
  /** Undefined: there is none. */
  pager(): ActorId | undefined;
  /** Has memory let go of a page that nothing is about to need. */
  drop(records: readonly PageRecord[]): Promise<number>;
}

export class Departures {
  readonly #of: DeparturesOf;

  constructor(of: DeparturesOf) {
    this.#of = of;
  }

  /** As long as `goesOn` says so. Rejects where the engine is lost over it. */
  async leave(goesOn: () => boolean): Promise<void> {
    const { lanes, isWanted, pager } = this.#of;
    for (;;) {
      const to = pager();
      const next = nextToLeave(lanes(), isWanted);
      if (to === undefined || next === undefined || !goesOn()) return;
      if (!(await this.#leaves(next, to))) return;
    }
  }

  /** False: disk takes no more. */
  async #leaves(lane: LaneState, pager: ActorId): Promise<boolean> {
    const record = await this.#of.pageOut(lane);
    // It is lost, as it would be with the context.
    if (record === undefined) return true;
    const [written] = await Promise.all(this.#of.writings.write([record], pager));
    if (written === 'there') await this.#of.drop([record]);
    return written !== 'refused';
  }
}

/** The idle lane that was used least recently, but none that something waits for. */
export function nextToLeave(
  lanes: readonly LaneState[],
  isWanted: (activity: Activity) => boolean,
): LaneState | undefined {
  let next: LaneState | undefined;
  for (const lane of lanes) {
    if (lane.state !== 'idle' || lane.activity === undefined || isWanted(lane.activity)) continue;
    if (next === undefined || lane.lastUse < next.lastUse) next = lane;
  }
  return next;
}
