/**
 * What the broker understands and what it tells minds: requests for a lane and cells, grants, and why one waits.
 */
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { Activity } from '../engine/protocol.js';

/** Realtime goes first, background last. */
export const TURN_CLASSES = ['realtime', 'interactive', 'background'] as const;
export type TurnClass = (typeof TURN_CLASSES)[number];

/** Why a turn waits; `relaunching`: the engine is being started again. */
export type QueueReason = 'lane' | 'cells' | 'relaunching';

export type MindToBroker =
  | {
      readonly type: 'request';
      /** The mind's own number for the turn. */
      readonly ticket: number;
      readonly activity: Activity;
      readonly class: TurnClass;
      /** KV places for the prompt and `maxTokens`. */
      readonly cells: number;
    }
  /** The turn no longer wants a lane; a grant on its way is given back, for it was never used. */
  | { readonly type: 'withdraw'; readonly ticket: number }
  /** The mind was started again: it knows of no turns. */
  | { readonly type: 'forget' };

export type BrokerToMind =
  | {
      readonly type: 'granted';
      readonly ticket: number;
      readonly grant: number;
      readonly epoch: number;
      readonly lane: number;
      /** Whether the lane holds this activity's KV. */
      readonly continues: boolean;
      /** How many times the engine was told to clear lanes before this, in this epoch. */
      readonly clears: number;
    }
  | { readonly type: 'queued'; readonly ticket: number; readonly reason: QueueReason }
  | { readonly type: 'refused'; readonly ticket: number; readonly error: ErrorEnvelope }
  /** A grant is void. */
  | { readonly type: 'revoked'; readonly ticket: number; readonly error: ErrorEnvelope }
  /** The broker was started again and knows of nothing: grants are void for this reason, and who waits asks anew. */
  | { readonly type: 'restarted'; readonly error: ErrorEnvelope };
