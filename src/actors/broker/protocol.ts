/**
 * What the broker understands and what it tells minds: requests for a lane and cells, grants, and why one waits.
 */
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { Activity, PageRecord, Shape } from '../engine/protocol.js';
import type { NamedGene, PinnedPhenotype } from '../residency/protocol.js';
import type { Budgets } from './pools.js';

/** Realtime goes first, background last. */
export const TURN_CLASSES = ['realtime', 'interactive', 'background'] as const;
export type TurnClass = (typeof TURN_CLASSES)[number];

/**
 * Why a turn waits: for a lane, for cells, for room for its genes or for them to come, or `relaunching`: the engine is
 * being started again.
 */
export type QueueReason = 'lane' | 'cells' | 'genes' | 'relaunching';

export type MindToBroker =
  | {
      readonly type: 'request';
      /** The mind's own number for the request. */
      readonly ticket: number;
      /** And for the turn, the same when it asks again; a move is no turn. */
      readonly turn?: number | undefined;
      readonly activity: Activity;
      readonly class: TurnClass;
      /** KV places for the prompt and `maxTokens`. */
      readonly cells: number;
      /** What it runs; they are pinned before it is granted. */
      readonly genes: readonly NamedGene[];
      /** Only to take the activity out of its lane, or to bring it in from its page; refused if it is not there. */
      readonly move?: 'page-out' | 'page-in' | undefined;
    }
  /** The turn no longer wants a lane; a grant on its way is given back, for it was never used. */
  | { readonly type: 'withdraw'; readonly ticket: number }
  /** The mind was started again: it knows of no turns. */
  | { readonly type: 'forget' }
  /** The answer to `confirm`: those of the tickets whose turns are over. */
  | { readonly type: 'confirmed'; readonly question: number; readonly over: readonly number[] };

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
      /** What was pinned for it. */
      readonly phenotype: PinnedPhenotype;
    }
  | { readonly type: 'queued'; readonly ticket: number; readonly reason: QueueReason }
  | { readonly type: 'refused'; readonly ticket: number; readonly error: ErrorEnvelope }
  /** A grant is void. */
  | { readonly type: 'revoked'; readonly ticket: number; readonly error: ErrorEnvelope }
  /** Wants to hear which of these turns are over. */
  | { readonly type: 'confirm'; readonly question: number; readonly tickets: readonly number[] }
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
