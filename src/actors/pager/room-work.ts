/**
 * What somebody has asked the pager to do with each room, by the names of their pages: moves and files beside one another, for
 * they find their own order; but a room is forgotten only while nothing else is done with it.
 */
import { RoomBusy } from '../../errors.js';
import { roomOfPage } from '../../pages/room-names.js';

const FORGOTTEN = 'it is being forgotten';
const MOVED = 'its page is being moved, written or read';

export class RoomWork {
  /** Pieces of work with each room. */
  readonly #pieces = new Map<string, number>();
  readonly #alone = new Set<string>();

  /** Settles as `work` does. Rejects with RoomBusy while the room is being forgotten. */
  async beside<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#alone.has(name)) throw busy(name, FORGOTTEN);
    this.#pieces.set(name, (this.#pieces.get(name) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#pieces.get(name) ?? 0) - 1;
      if (left > 0) this.#pieces.set(name, left);
      else this.#pieces.delete(name);
    }
  }

  /** Settles as `work` does. Rejects with RoomBusy while anything is done with the room. */
  async alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#alone.has(name)) throw busy(name, FORGOTTEN);
    if (this.#pieces.has(name)) throw busy(name, MOVED);
    this.#alone.add(name);
    try {
      return await work();
    } finally {
      this.#alone.delete(name);
    }
  }
}

const busy = (name: string, by: string): Error => new RoomBusy({ ...roomOfPage(name), by });
