/**
 * Texts of one thread in shared memory: a table of names (message types, kinds, reasons), each written once, and the
 * errors that were last noted, which overwrite one another. The owning thread writes; anyone reads.
 */
import { ERROR_BYTES, LAST_ERRORS, NAMES_BYTES } from './defaults.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const LONGEST_NAME = 200;
/** What stands for every name that the full table has no room for. */
const OTHER = '(other)';
const RECORD = ERROR_BYTES + 2;

/** Bytes of the whole: used bytes of names and count of errors, names, errors. */
export const TEXT_BYTES = 8 + NAMES_BYTES + LAST_ERRORS * RECORD;

export class Names {
  /** Used bytes of the table, errors noted so far. */
  readonly #header: Int32Array;
  readonly #names: Uint8Array;
  readonly #errors: Uint8Array;
  readonly #numbers = new Map<string, number>();
  #lastText: string | undefined;
  #lastNumber = 0;

  constructor(memory: SharedArrayBuffer, offset: number) {
    this.#header = new Int32Array(memory, offset, 2);
    this.#names = new Uint8Array(memory, offset + 8, NAMES_BYTES);
    this.#errors = new Uint8Array(memory, offset + 8 + NAMES_BYTES, LAST_ERRORS * RECORD);
  }

  /** Forgets all texts; who writes here next is another one. */
  wipe(): void {
    this.#header.fill(0);
  }

  /** The number of a name, for those who write here. */
  number(text: string): number {
    if (text === this.#lastText) return this.#lastNumber;
    const number = this.#numbers.get(text) ?? this.#add(text);
    this.#lastText = text;
    this.#lastNumber = number;
    return number;
  }

  /** The name of a number; undefined for 0. */
  text(number: number): string | undefined {
    if (number === 0) return undefined;
    return read(this.#names, number - 1);
  }

  /** Keeps an error's text, in place of the oldest. Answers its number, from 1. */
  noteError(text: string): number {
    const number = (this.#header[1] as number) + 1;
    write(this.#errors, ((number - 1) % LAST_ERRORS) * RECORD, text, ERROR_BYTES);
    Atomics.store(this.#header, 1, number);
    return number;
  }

  /** The text of an error; undefined for 0. */
  error(number: number): string | undefined {
    if (number === 0) return undefined;
    if (Atomics.load(this.#header, 1) - number >= LAST_ERRORS) return 'an error too old to be kept';
    return read(this.#errors, ((number - 1) % LAST_ERRORS) * RECORD);
  }

  #add(text: string): number {
    if (this.#numbers.size === 0) this.#place(OTHER);
    return this.#place(text) ?? (this.#numbers.get(OTHER) as number);
  }

  #place(text: string): number | undefined {
    const used = this.#header[0] as number;
    const room = NAMES_BYTES - used - 2;
    const cut = text.length > LONGEST_NAME ? text.slice(0, LONGEST_NAME) : text;
    if (room < 3 * cut.length) return undefined;
    const end = write(this.#names, used, cut, room);
    Atomics.store(this.#header, 0, end);
    this.#numbers.set(text, used + 1);
    return used + 1;
  }
}

/** Two bytes of length, then UTF-8, cut at a character when it is too long. Answers where it ends. */
function write(bytes: Uint8Array, at: number, text: string, most: number): number {
  const { written } = encoder.encodeInto(text, bytes.subarray(at + 2, at + 2 + most));
  bytes[at] = written & 255;
  bytes[at + 1] = written >> 8;
  return at + 2 + written;
}

function read(bytes: Uint8Array, at: number): string {
  const length = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return decoder.decode(bytes.slice(at + 2, at + 2 + length));
}
