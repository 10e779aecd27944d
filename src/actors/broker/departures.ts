/**
 * Lanes that leave to disk before the context is made smaller (B4), one after another, each through a window: so of all that they
 * hold no more is in memory beside the context than that. The one least recently used goes first, and those for which something
 * waits go last: they are read again soon. Where disk cannot take a lane no other leaves: the engine takes those out, into pages
 * in memory, when it makes the context anew.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { LaneState } from './queue.js';
import type { Written } from './writings.js';

export interface DeparturesOf {
  lanes(): readonly LaneState[];
  isWanted(activity: Activity): boolean;
  /** Has what an idle lane holds written; it is empty when that is there. */
  write(lane: LaneState, pager: ActorId): Promise<Written>;
  /** Undefined: there is none. */
  pager(): ActorId | undefined;
}

export class Departures {
  readonly #of: DeparturesOf;

  constructor(of: DeparturesOf) {
    this.#of = of;
  }

  /** As long as `goesOn` says so. One that does not leave is not asked for again. */
  async leave(goesOn: () => boolean): Promise<void> {
    const { lanes, isWanted, pager, write } = this.#of;
    const tried = new Set<number>();
    for (;;) {
      const to = pager();
      const left = lanes().filter(({ lane }) => !tried.has(lane));
      const next = nextToLeave(left, isWanted);
      if (to === undefined || next === undefined || !goesOn()) return;
      tried.add(next.lane);
      if ((await write(next, to)) === 'refused') return;
    }
  }
}

/** The idle lane that was used least recently; of those for which something waits only where there is no other. */
export function nextToLeave(
  lanes: readonly LaneState[],
  isWanted: (activity: Activity) => boolean,
): LaneState | undefined {
  const idle = lanes.filter(({ state, activity }) => state === 'idle' && activity !== undefined);
  const waits = ({ activity = '' }: LaneState): number => Number(isWanted(activity));
  return idle.sort((a, b) => waits(a) - waits(b) || a.lastUse - b.lastUse)[0];
}
