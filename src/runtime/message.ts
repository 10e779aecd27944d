/**
 * Messages: what an actor sends, and the envelope that carries it to a mailbox.
 */
import type { ActorId } from './address.js';

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
export const BAND_NAMES = ['system', 'control', 'user'] as const;

/** What the runtime itself tells an actor, on the system band. */
export type Notice =
  | { readonly type: 'ended'; readonly id: ActorId; readonly reason: string }
  | {
      readonly type: 'undelivered';
      readonly to: ActorId;
      readonly messageType: string;
      readonly reason: string;
    };

export interface Envelope {
  readonly to: ActorId;
  readonly from: ActorId;
  readonly band: Band;
  /** The ask that waits for an answer, on the sender's thread; 0 = a tell. */
  readonly ask: number;
  readonly message: Message;
  /** When it was queued, ms since the epoch, as of the slice. */
  at: number;
  /** The receiver answers later (`ctx.replyLater`). */
  takenOver: boolean;
}
