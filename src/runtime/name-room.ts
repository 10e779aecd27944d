/**
 * Room for the names of a thread's actors, in the shared memory behind their records: names are short and may be long, so
 * each gets a piece of about its size. A piece that is given back goes to the next name of that size.
 */
import { NAME_BYTES } from './defaults.js';

const UNIT_BYTES = 16;
const unitsOf = (bytes: number): number => Math.ceil(bytes / UNIT_BYTES);
const LONGEST = unitsOf(NAME_BYTES);

/** What an actor may take at the most: every name of every size once. Untouched room takes no memory. */
export const ROOM_BYTES = (UNIT_BYTES * LONGEST * (LONGEST + 1)) / 2;

export class NameRoom {
  /** Pieces given back, by their size in units. */
  readonly #free: number[][] = Array.from({ length: LONGEST + 1 }, () => []);
  #end = 0;

  /** Where a name of so many bytes may lie. */
  take(bytes: number): number {
    const units = unitsOf(bytes);
    const again = this.#free[units]?.pop();
    if (again !== undefined) return again;
    const at = this.#end;
    this.#end += UNIT_BYTES * units;
    return at;
  }

  give(at: number, bytes: number): void {
    if (bytes > 0) this.#free[unitsOf(bytes)]?.push(at);
  }
}
