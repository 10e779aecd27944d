/**
 * A thread's counter board: one fixed record per actor in shared memory, so that anyone can see any actor without
 * asking its thread. The owning thread writes plain stores; counters only go up and a reader takes differences, so a
 * torn read is at worst one message old.
 */
import { BOARD_ACTORS, NAME_BYTES } from './defaults.js';

/** Int32 fields of a record. The name follows them as UTF-8. */
export const Field = {
  generation: 0,
  state: 1,
  /** Three each, by band. */
  queued: 2,
  taken: 5,
  /** The message in hand, as a string number; 0 none. */
  inHand: 8,
  inHandSince: 9,
  restarts: 10,
  kind: 11,
  waitReason: 12,
  waitSince: 13,
  waitDeadline: 14,
  /** The actor that can end the wait: thread and slot. */
  waitThread: 15,
  waitSlot: 16,
  /** When the user band last became non-empty or was last taken from. */
  oldestSince: 17,
  lastError: 18,
  nameBytes: 19,
  /** Sampled handler times: counts of calls below 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100 ms and above. */
  times: 20,
} as const;

export const TIME_EDGES_MS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100] as const;

export const ActorState = { free: 0, idle: 1, ready: 2, handling: 3, awaiting: 4, restarting: 5 } as const;
export const STATE_NAMES = ['free', 'idle', 'ready', 'handling', 'awaiting', 'restarting'] as const;

const FIELDS = 32;
const NAME_FIELDS = NAME_BYTES / 4;
export const RECORD = FIELDS + NAME_FIELDS;

/** Interned strings: message types, kinds and reasons; a finite set, so a full table only loses names. */
const STRINGS_BYTES = 64 * 1024;
const HEADER = 4;
/** Header fields: slots ever used, bytes of strings used, time of the last slice (ms since the epoch). */
export const Header = { slots: 0, strings: 1, lastSlice: 2 } as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export type BoardMemory = SharedArrayBuffer;

export const createBoardMemory = (): BoardMemory =>
  new SharedArrayBuffer(4 * (HEADER + BOARD_ACTORS * RECORD) + STRINGS_BYTES);

export class Board {
  readonly words: Int32Array;
  readonly header: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #strings: Uint8Array;
  readonly #numbers = new Map<string, number>();

  constructor(memory: BoardMemory) {
    this.header = new Int32Array(memory, 0, HEADER);
    this.words = new Int32Array(memory, 4 * HEADER, BOARD_ACTORS * RECORD);
    this.#bytes = new Uint8Array(memory, 4 * HEADER, 4 * BOARD_ACTORS * RECORD);
    this.#strings = new Uint8Array(memory, 4 * (HEADER + BOARD_ACTORS * RECORD), STRINGS_BYTES);
  }

  /** Where the record of a slot begins in `words`. */
  static at(slot: number): number {
    return slot * RECORD;
  }

  /** Milliseconds since the thread last began a slice of its loop. */
  sinceSlice(now: number): number {
    return Math.max(0, (Math.trunc(now) - (this.header[Header.lastSlice] as number)) | 0);
  }

  /** Clears a record and names it. */
  open(slot: number, generation: number, kind: string, name: string): void {
    const at = Board.at(slot);
    this.words.fill(0, at, at + RECORD);
    const { written } = encoder.encodeInto(name, this.#bytes.subarray(4 * (at + FIELDS), 4 * (at + RECORD)));
    this.words[at + Field.nameBytes] = written;
    this.words[at + Field.kind] = this.intern(kind);
    this.words[at + Field.generation] = generation;
    this.words[at + Field.state] = ActorState.idle;
    if (slot >= (this.header[Header.slots] as number)) this.header[Header.slots] = slot + 1;
  }

  close(slot: number): void {
    this.words[Board.at(slot) + Field.state] = ActorState.free;
  }

  name(slot: number): string {
    const at = Board.at(slot);
    const start = 4 * (at + FIELDS);
    return decoder.decode(this.#bytes.slice(start, start + (this.words[at + Field.nameBytes] as number)));
  }

  /** The number of a string: one more than where it begins. 0 = none, or the table is full. */
  intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const used = this.header[Header.strings] as number;
    const bytes = encoder.encode(text.length > 200 ? text.slice(0, 200) : text);
    if (used + bytes.length + 2 > STRINGS_BYTES) return 0;
    this.#strings[used] = bytes.length & 255;
    this.#strings[used + 1] = bytes.length >> 8;
    this.#strings.set(bytes, used + 2);
    Atomics.store(this.header, Header.strings, used + 2 + bytes.length);
    this.#numbers.set(text, used + 1);
    return used + 1;
  }

  string(number: number): string | undefined {
    if (number === 0) return undefined;
    const at = number - 1;
    const length = (this.#strings[at] as number) | ((this.#strings[at + 1] as number) << 8);
    return decoder.decode(this.#strings.slice(at + 2, at + 2 + length));
  }
}

/** Which sampled-time counter a duration falls into. */
export function timeBucket(ms: number): number {
  let i = 0;
  while (i < TIME_EDGES_MS.length && ms >= (TIME_EDGES_MS[i] as number)) i++;
  return i;
}
