/**
 * Where each room is, as the broker knows it: in a lane, in a page in memory, or on disk alone. Pure.
 */
import type { Activity } from '../activity.js';
import type { PageTable } from './page-table.js';
import type { FiledPage } from './protocol.js';
import type { LaneState } from './queue.js';

export type Place =
  | {
      readonly where: 'lane';
      readonly lane: number;
      readonly running: boolean;
      /** Tokens, and what a page of them would be charged; of a lane that runs nobody but the engine knows. */
      readonly held: number;
      readonly bytes: number;
      readonly ageMs: number;
    }
  /** Or on its way there, from a lane or from disk. */
  | { readonly where: 'memory'; readonly held: number; readonly bytes: number; readonly ageMs: number }
  | { readonly where: 'disk'; readonly held: number };

/** `ageMs`: since it came there, or was last used there. */
export type RoomPlace = Place & { readonly activity: Activity; readonly file: FiledPage | undefined };

/** Lanes first, by their numbers; then pages in memory, the oldest first; then what is on disk alone. */
export function placesOf(
  lanes: readonly LaneState[],
  pages: PageTable,
  files: ReadonlyMap<Activity, FiledPage>,
  now: number,
): RoomPlace[] {
  const places = new Map<Activity, Place>();
  for (const { lane, state, activity, held, bytes, lastUse } of lanes) {
    if (activity === undefined || state === 'empty') continue;
    const running = state === 'busy';
    places.set(activity, { where: 'lane', lane, running, held, bytes, ageMs: now - lastUse });
  }
  for (const { activity, held, bytes } of pages.all()) {
    if (places.has(activity)) continue;
    const ageMs = now - pages.sinceOf(activity);
    places.set(activity, { where: 'memory', held, bytes, ageMs });
  }
  for (const { activity, held } of files.values()) {
    if (!places.has(activity)) places.set(activity, { where: 'disk', held });
  }
  return [...places].map(([activity, place]) => ({ ...place, activity, file: files.get(activity) }));
}
