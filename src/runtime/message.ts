/**
 * Messages: what an actor sends, and the envelope that carries it to a mailbox.
 */
import type { ActorId } from './address.js';
import { BadArgument } from './errors.js';

/** Plain data with a type. Across threads it is cloned; within a thread it is handed over as it is. */
export interface Message {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Where in a mailbox a message goes. `reserved` is the control band with room kept for it: only for messages that
 * the protocol bounds itself (at most one of a kind a grant).
 */
export const Band = { system: 0, control: 1, user: 2, reserved: 3 } as const;
export type Band = (typeof Band)[keyof typeof Band];

/** The three bands as a mailbox has them: reserved messages lie among the control messages. */
export type QueueBand = 0 | 1 | 2;
export const queueBand = (band: Band): QueueBand => (band === Band.reserved ? Band.control : band);
export const BAND_NAMES = ['system', 'control', 'user'] as const;

/** What the runtime itself tells an actor, on the system band. */
export type Notice =
  | {
      readonly type: 'ended';
      readonly id: ActorId;
      readonly reason: string;
      /** With its thread, from which it may come back at its address. */
      readonly lost: boolean;
    }
  | {
      readonly type: 'undelivered';
      readonly to: ActorId;
      readonly messageType: string;
      readonly reason: string;
    };

export class Envelope {
  /** The next one in the same band. */
  next: Envelope | undefined = undefined;
  /** The receiver answers later (`ctx.replyLater`). */
  takenOver = false;

  constructor(
    public from: ActorId,
    public band: Band,
    /** The ask that waits for an answer, on the sender's thread; 0 = a tell. */
    readonly ask: number,
    /** The message's when it was sent: within a thread its sender may change what it has sent. */
    public type: string,
    public message: Message,
    /** When it was queued, whole ms since the epoch. */
    public at: number,
  ) {}
}

/** Refuses what no mailbox could show or route; answers its type. Throws `BadArgument`. */
export function typeOf(message: Message): string {
  const type: unknown = message?.type;
  if (typeof type === 'string') return type;
  throw new BadArgument({ argument: 'message', value: message, expected: 'an object with a string `type`' });
}

/** What stands for the type of a message that was changed between its check and its way to another thread. */
const NO_TYPE = '(no type)';

/** The type of a message that was checked when it was sent; never throws. */
export function typeLeft(message: Message): string {
  try {
    return typeOf(message);
  } catch {
    return NO_TYPE;
  }
}

/** Refuses what no mailbox has, and what on a line would be something else than a message. Throws `BadArgument`. */
export function checkBand(band: Band): void {
  const { system, control, user, reserved } = Band;
  if (band === user || band === control || band === reserved || band === system) return;
  throw new BadArgument({ argument: 'band', value: band, expected: 'a value of `Band`' });
}

/** Refuses a time that no timer could hold. Throws `BadArgument`. */
export function checkMs(argument: string, value: number): void {
  if (value >= 0 && value < Number.POSITIVE_INFINITY) return;
  throw new BadArgument({ argument, value, expected: 'milliseconds, 0 or more' });
}
