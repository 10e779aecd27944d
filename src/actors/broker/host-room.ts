/**
 * Room in host memory for the page that a lane may come to leave (T1). Pure.
 *
 * Each lane has its share of what pages may take, so that all lanes can run whatever that is. The room of a lane is kept, not
 * emptied: what lies in it goes when the page is made. So pages of rooms in which nobody waits are room, and so are those of
 * turns that come later; pages of turns that go first are not, nor are those that are being made or read.
 */
import { isAhead, type LaneState, type WaitingTurn } from './queue.js';

export interface HostRoom {
  /** Bytes that all pages may take together. */
  readonly ceiling: number;
  /** Bytes that a page takes for each of its tokens; 0: that is not known. */
  readonly cellBytes: number;
  /** Pages that are being made or read. */
  readonly moving: readonly PageOf<Pick<WaitingTurn, 'activity'>>[];
  /** Pages of rooms in which a turn waits. */
  readonly waiting: readonly PageOf<WaitingTurn>[];
}

interface PageOf<Room> {
  readonly of: Room;
  readonly bytes: number;
}

/** Bytes kept for the page of a turn whose lane may hold so many tokens; what could never fit is kept no room for. */
export function roomFor(cells: number, lanes: number, { ceiling, cellBytes }: HostRoom): number {
  const bytes = cells * cellBytes;
  return bytes > ceiling ? 0 : Math.min(bytes, Math.floor(ceiling / lanes));
}

/** Tells of turns whether there is no room for their pages beside those that stay. While no lane is busy there is. */
export function lacksRoomIn(
  lanes: readonly LaneState[],
  host: HostRoom,
  now: number,
): (turn: WaitingTurn) => boolean {
  if (lanes.every(({ state }) => state !== 'busy')) return () => false;
  let kept = 0;
  for (const { reserved } of lanes) kept += roomFor(reserved, lanes.length, host);
  for (const { bytes } of host.moving) kept += bytes;
  const waiting = [...host.waiting].sort((a, b) => (isAhead(a.of, b.of, now) ? -1 : 1));
  const sums = [0];
  for (const { bytes } of waiting) sums.push((sums.at(-1) ?? 0) + bytes);
  return (turn) => {
    const need = roomFor(turn.cells, lanes.length, host);
    if (need === 0 || kept + need + (sums.at(-1) ?? 0) <= host.ceiling) return false;
    const own = host.moving.find(({ of }) => of.activity === turn.activity)?.bytes ?? 0;
    return kept - own + need + (sums[countAhead(waiting, turn, now)] ?? 0) > host.ceiling;
  };
}

/** How many of these, the first first, go before a turn. */
function countAhead(waiting: readonly PageOf<WaitingTurn>[], turn: WaitingTurn, now: number): number {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAhead((waiting[middle] as PageOf<WaitingTurn>).of, turn, now)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of rooms with pages, those whose turns go after the one of a room, the last first: their pages go for its own. */
export function roomsAfter<Room extends { readonly activity: string }>(
  rooms: readonly Room[],
  turnOf: (activity: string) => WaitingTurn | undefined,
  activity: string,
  now: number,
): Room[] {
  const turn = turnOf(activity);
  if (turn === undefined) return [];
  const waiting = rooms.flatMap((room) => {
    const of = turnOf(room.activity);
    return of === undefined || !isAhead(turn, of, now) ? [] : [{ room, of }];
  });
  return waiting.sort((a, b) => (isAhead(a.of, b.of, now) ? 1 : -1)).map(({ room }) => room);
}
