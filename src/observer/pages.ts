/**
 * The rooms of a troupe as observers see them: where the context of each is, as plain data that the source fills, cut to a
 * bound.
 */

/** Rooms of one answer: what a person reads. */
export const MAX_ROOMS = 1_000;

export interface RoomSeen {
  readonly mind: string;
  readonly room: string;
  readonly where: 'lane' | 'memory' | 'disk';
  /** null: it is in none. */
  readonly lane: number | null;
  readonly running: boolean;
  readonly tokens: number;
  /** In memory, or what a page would take there; null: its lane runs. */
  readonly bytes: number | null;
  /** Since it came there, or was last used there. */
  readonly ageMs: number;
  /** Which generation of its page is on disk; null: none. */
  readonly generation: number | null;
}

export interface PageCounts {
  readonly lanes: number;
  readonly running: number;
  readonly idle: number;
  readonly memoryPages: number;
  readonly memoryBytes: number;
  readonly ceilingBytes: number;
  /** Those that are nowhere else, and all of them. */
  readonly diskOnly: number;
  readonly diskPages: number;
  readonly diskBytes: number;
}

export interface PagesSeen {
  readonly rooms: readonly RoomSeen[];
  /** Rooms that are left out. */
  readonly more: number;
  readonly counts: PageCounts;
}

export const pagesSeen = (all: readonly RoomSeen[], counts: PageCounts): PagesSeen => ({
  rooms: all.slice(0, MAX_ROOMS),
  more: Math.max(0, all.length - MAX_ROOMS),
  counts,
});
