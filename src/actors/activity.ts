/**
 * What names an activity, a (mind, room) pair, wherever its KV, its page and its genes are spoken of: the mind's address and the
 * room. A mind's own name is no part of it, for a later mind may have it too. Pure.
 */
import type { ActorId } from '../runtime/address.js';

/** The address is digits alone, so the first slash ends it, whatever the room is called. */
export type Activity = string;

export const activityOf = (mind: ActorId, room: string): Activity => `${mind}/${room}`;

export const mindOf = (activity: Activity): ActorId => Number(activity.slice(0, activity.indexOf('/')));

export const roomOf = (activity: Activity): string => activity.slice(activity.indexOf('/') + 1);

export const belongsTo = (activity: Activity, mind: ActorId): boolean => mindOf(activity) === mind;
