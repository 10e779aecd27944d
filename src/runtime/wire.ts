/**
 * What two threads say to one another: a batch is one flat array, five values an entry.
 */
import type { ActorId } from './address.js';

export const Wire = {
  /** A message for a band: `payload` is the message, `ask` the asker's number or 0. */
  system: 0,
  control: 1,
  user: 2,
  reserved: 3,
  /** The answer to ask `ask`: a value, or an error envelope. */
  answer: 4,
  failure: 5,
  /** `from` watches `to`, or no longer. */
  watch: 6,
  unwatch: 7,
  /** The user band of `from` is full, or has room again. */
  full: 8,
  room: 9,
  /** The receiver has taken `ask` user messages and `payload` control messages from its port. */
  credit: 10,
  /** `payload` is a step in the search for a deadlock that spans threads. */
  chase: 11,
} as const;
export type Wire = (typeof Wire)[keyof typeof Wire];

export const ENTRY = 5;

export interface Entry {
  readonly kind: Wire;
  readonly to: ActorId;
  readonly from: ActorId;
  readonly ask: number;
  readonly payload: unknown;
}

/** Flat: kind, to, from, ask, payload, kind, to, ... */
export type Batch = unknown[];

export const entryAt = (batch: Batch, i: number): Entry => ({
  kind: batch[i] as Wire,
  to: batch[i + 1] as ActorId,
  from: batch[i + 2] as ActorId,
  ask: batch[i + 3] as number,
  payload: batch[i + 4],
});

/** Whether an entry carries a message for a band. */
export const isMessage = (kind: Wire): boolean => kind <= Wire.reserved;

/** The part of a MessagePort that a link needs; the simulation has one of its own. */
export interface WirePort {
  post(batch: Batch, transfer: readonly ArrayBuffer[]): void;
  /** Hands over what has arrived and not been taken, then ends the line. */
  close(): void;
}
