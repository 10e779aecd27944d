/**
 * What is shown of a reclaim once its lane is free: whose turn gave it up, for whom, why, and how long that took.
 */

import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type Activity, roomOf } from '../activity.js';
import type { LeftIn } from '../engine/protocol.js';
import type { Lack } from './lack.js';

/** What the turn that it was taken back for lacked; `relaunching`: the context is to be made anew. */
export type ReclaimReason = Lack | 'relaunching';

/** A lane is wanted back. */
export interface Reclaim {
  readonly reason: ReclaimReason;
  /** Whose turn wants it; undefined: none, but a relaunch. */
  readonly for: Place | undefined;
  readonly leftIn: LeftIn;
  readonly askedAt: number;
}

/** A room, and the address of its mind. */
export interface Place {
  readonly mind: ActorId;
  readonly activity: Activity;
}

/** The run is over: from the word to its mind until now. */
export function probeReclaim(ctx: Context, from: Place, { reason, for: to, askedAt }: Reclaim): void {
  ctx.probe({
    name: 'turn.reclaimed',
    ...{ mind: from.mind, room: roomOf(from.activity) },
    ...{ forMind: to?.mind, forRoom: to && roomOf(to.activity) },
    ...{ reason, ms: ctx.now - askedAt },
  });
}
