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
  /** The receiver has taken `ask` user messages from its port. */
  credit: 10,
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

/** The part of a MessagePort that a link needs; the simulation has one of its own. */
export interface WirePort {
  post(batch: Batch, transfer: readonly ArrayBuffer[]): void;
  close(): void;
}
