/**
 * What the broker understands and what it tells minds: requests for a lane and cells, grants, and why one waits.
 */
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { Activity, PageRecord, Shape } from '../engine/protocol.js';
import type { Budgets } from './pools.js';

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
      /** Only to take the activity out of its lane, or to bring it in from its page; refused if it is not there. */
      readonly move?: 'page-out' | 'page-in' | undefined;
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
      /** How many times the engine was told to vacate lanes before this, in this epoch. */
      readonly vacated: number;
    }
  | { readonly type: 'queued'; readonly ticket: number; readonly reason: QueueReason }
  | { readonly type: 'refused'; readonly ticket: number; readonly error: ErrorEnvelope }
  /** A grant is void. */
  | { readonly type: 'revoked'; readonly ticket: number; readonly error: ErrorEnvelope }
  /** The broker was started again and knows of nothing: grants are void for this reason, and who waits asks anew. */
  | { readonly type: 'restarted'; readonly error: ErrorEnvelope };

/** Asked of the broker. */
export type BrokerMessage =
  /** The answer is a list of `PageRecord`. */
  | { readonly type: 'pages' }
  /** Frees an activity's page, or only that of this number. Refuses with NoSuchPage; a turn may be about to need it. */
  | { readonly type: 'drop-page'; readonly activity: Activity; readonly page?: number }
  /** A page that was brought in from elsewhere is an activity's. */
  | { readonly type: 'adopt-page'; readonly record: PageRecord }
  /**
   * Has the context made anew when what is granted has ended; the answer is its `Shape`. Refuses with DeadlineExceeded,
   * MailboxFull while another is asked for, EngineLost, and with what opening a context throws.
   */
  | { readonly type: 'relaunch'; readonly shape: Shape; readonly deadlineMs: number };

export type PageList = readonly PageRecord[];

export interface BrokerArgs {
  /** Bytes that all pages may take together. */
  readonly pageBytes: number;
  readonly budgets: Budgets;
}
