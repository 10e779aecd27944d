/**
 * A thread's counter board: one fixed record per actor in shared memory, so that anyone can see any actor without
 * asking its thread. The owning thread writes plain stores; counters only go up and a reader takes differences, so a
 * torn read is at worst one message old.
 */
import { BOARD_ACTORS, NAME_BYTES } from './defaults.js';
import { NameRoom, ROOM_BYTES } from './name-room.js';
import { Names, TEXT_BYTES } from './names.js';

/** Int32 fields of a record. Those that each message changes come first and lie in one line of the processor's cache. */
export const Field = {
  generation: 0,
  state: 1,
  /** Three each, by band. */
  queued: 2,
  taken: 5,
  /** Of one that awaits: the type of the message in hand, as the number of a name, and since when. */
  inHand: 8,
  inHandSince: 9,
  /** When the oldest user message was queued. */
  oldestSince: 10,
  kind: 11,
  /** The oldest wait. */
  waitReason: 12,
  waitSince: 13,
  waitDeadline: 14,
  /** The actor that can end the wait: the low 32 bits of its address, and its generation. */
  waitFor: 15,
  waitGeneration: 16,
  restarts: 17,
  lastError: 18,
  nameBytes: 19,
  /** Sampled handler times: counts of calls below 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100 ms and above. */
  times: 20,
  /** When it is to be started again after a crash; 0: no such time. */
  startsAt: 30,
  /** Where its name begins in the room for names, UTF-8. */
  nameAt: 31,
} as const;

export const TIME_EDGES_MS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100] as const;

/** Whose handler runs is on the header: an actor that is `handling` is idle, or awaits, here. */
export const ActorState = { free: 0, idle: 1, awaiting: 2, starting: 3, ending: 4, passive: 5 } as const;
export const STATE_NAMES = ['free', 'idle', 'awaiting', 'starting', 'ending', 'passive'] as const;

const FIELDS = 32;

/** A line of the cache, so that no record lies across more lines than it must. */
const HEADER = 16;
/**
 * Header fields: slots ever used, time of the last slice (ms since the epoch), dead letters so far; the slot above that of
 * the actor whose handler runs (0: none), the type of its message and since when.
 */
export const Header = {
  slots: 0,
  lastSlice: 1,
  deadLetters: 2,
  handling: 3,
  inHand: 4,
  inHandSince: 5,
} as const;

const encoder = new TextEncoder();
/** A name may begin with what is a mark at the beginning of a file. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export type BoardMemory = SharedArrayBuffer;

/** `actors`: how many the thread may hold. */
export const createBoardMemory = (actors = BOARD_ACTORS): BoardMemory =>
  new SharedArrayBuffer(4 * HEADER + actors * (4 * FIELDS + ROOM_BYTES) + TEXT_BYTES);

export class Board {
  readonly memory: BoardMemory;
  readonly words: Int32Array;
  readonly header: Int32Array;
  readonly names: Names;
  /** How many actors it has room for. */
  readonly actors: number;
  readonly #nameBytes: Uint8Array;
  /** Used by the owning thread alone. */
  readonly #room = new NameRoom();
  readonly #written = new Uint8Array(NAME_BYTES);

  constructor(memory: BoardMemory) {
    this.memory = memory;
    this.header = new Int32Array(memory, 0, HEADER);
    const names = memory.byteLength - TEXT_BYTES;
    this.actors = (names - 4 * HEADER) / (4 * FIELDS + ROOM_BYTES);
    const room = this.actors * ROOM_BYTES;
    this.words = new Int32Array(memory, 4 * HEADER, this.actors * FIELDS);
    this.#nameBytes = new Uint8Array(memory, names - room, room);
    this.names = new Names(memory, names);
  }

  /** Where the record of a slot begins in `words`. */
  static at(slot: number): number {
    return slot * FIELDS;
  }

  /** Milliseconds since the thread last began a slice of its loop. */
  sinceSlice(now: number): number {
    return Math.max(0, (Math.trunc(now) - (this.header[Header.lastSlice] as number)) | 0);
  }

  /** As new, for the next life of its thread. */
  wipe(): BoardMemory {
    this.words.fill(0, 0, Board.at(this.header[Header.slots] as number));
    this.header.fill(0);
    this.names.wipe();
    return this.memory;
  }

  /** Clears a record and names it. */
  open(slot: number, generation: number, name: string): void {
    const at = Board.at(slot);
    this.#room.give(this.words[at + Field.nameAt] as number, this.words[at + Field.nameBytes] as number);
    this.words.fill(0, at, at + FIELDS);
    const { written } = encoder.encodeInto(name, this.#written);
    const nameAt = this.#room.take(written);
    this.#nameBytes.set(this.#written.subarray(0, written), nameAt);
    this.words[at + Field.nameAt] = nameAt;
    this.words[at + Field.nameBytes] = written;
    this.words[at + Field.generation] = generation;
    this.words[at + Field.state] = ActorState.starting;
    if (slot >= (this.header[Header.slots] as number)) this.header[Header.slots] = slot + 1;
  }

  close(slot: number): void {
    this.words[Board.at(slot) + Field.state] = ActorState.free;
  }

  name(slot: number): string {
    const at = Board.at(slot);
    const start = this.words[at + Field.nameAt] as number;
    return decoder.decode(this.#nameBytes.slice(start, start + (this.words[at + Field.nameBytes] as number)));
  }

  /** Whether an actor of this generation is at the slot. */
  holds(slot: number, generation: number): boolean {
    const at = Board.at(slot);
    return (
      this.words[at + Field.generation] === generation && this.words[at + Field.state] !== ActorState.free
    );
  }

  /** Adds one to a field of a record. */
  count(index: number): void {
    this.words[index] = (this.words[index] as number) + 1;
  }

  /** The last error of an actor. */
  noteError(slot: number, error: string): void {
    this.words[Board.at(slot) + Field.lastError] = this.names.noteError(error);
  }

  get deadLetters(): number {
    return this.header[Header.deadLetters] as number;
  }

  countDeadLetter(): void {
    this.header[Header.deadLetters] = (this.header[Header.deadLetters] as number) + 1;
  }
}

/** Which sampled-time counter a duration falls into. */
export function timeBucket(ms: number): number {
  let i = 0;
  while (i < TIME_EDGES_MS.length && ms >= (TIME_EDGES_MS[i] as number)) i++;
  return i;
}
