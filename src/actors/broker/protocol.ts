/**
 * What the broker understands and what it tells minds: requests for a lane and cells, grants, and why one waits.
 */
import type { PageFile } from '../../pages/read.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { Activity } from '../activity.js';
import type { IdleLane } from '../engine/lane-window.js';
import type { LeftIn, PageMove, PageRecord, Shape } from '../engine/protocol.js';
import type { NamedGene, PinnedPhenotype } from '../residency/protocol.js';
import type { RoomPlace } from './places.js';
import type { Budgets } from './pools.js';

/** Realtime goes first, background last. */
export const TURN_CLASSES = ['realtime', 'interactive', 'background'] as const;
export type TurnClass = (typeof TURN_CLASSES)[number];

/**
 * Why a turn waits: for a lane, for cells, for room for its genes or for them to come, for room on the `host` for the page that
 * its lane may leave, for its page to come from `disk`, or `relaunching`: the engine is being started again.
 */
export type QueueReason = 'lane' | 'cells' | 'genes' | 'host' | 'disk' | 'relaunching';

/** What was read from disk for a grant, and how long it took; `error`: why it could not be. */
export interface DiskRead extends PageMove {
  readonly error: ErrorEnvelope | undefined;
}

/** A room's page on disk. */
export interface FiledPage {
  readonly activity: Activity;
  /** Whose room it is. */
  readonly mind: ActorId;
  readonly held: number;
  /** What the store charges for it in memory. */
  readonly bytes: number;
  /** Checksum of what had been said in the room. */
  readonly said: number;
  /** It was written only because memory was short, and is removed when its room has no more use for it. */
  readonly lent: boolean;
  readonly file: PageFile;
}

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
      /** When its turn first asked, in ms since the system's epoch; default: now. */
      readonly since?: number;
      /** Only to take the activity out of its lane, or to bring it in from its page; refused if it is not there. */
      readonly move?: 'page-out' | 'page-in' | undefined;
    }
  /** The turn no longer wants a lane; a grant on its way is given back, for it was never used. */
  | { readonly type: 'withdraw'; readonly ticket: number }
  /** Told to give its lane up, the turn has none, or none any more. */
  | { readonly type: 'released'; readonly ticket: number }
  /**
   * Said before its first request: a broker that is started again tells it so from now on, also where it was lost over that very
   * request.
   */
  | { readonly type: 'here' }
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
      /** How many of the lane's first cells the grant takes to be others' too. */
      readonly sharing: number;
      /** How many times the engine was told to vacate lanes before this, in this epoch. */
      readonly vacated: number;
      /** What was pinned for it. */
      readonly phenotype: PinnedPhenotype;
      /** If its page had to come from disk. */
      readonly read?: DiskRead | undefined;
    }
  /** `on`: who can end the wait; undefined: the broker. */
  | {
      readonly type: 'queued';
      readonly ticket: number;
      readonly reason: QueueReason;
      readonly on?: ActorId | undefined;
    }
  | { readonly type: 'refused'; readonly ticket: number; readonly error: ErrorEnvelope }
  /** The grant's lane is wanted back: the turn gives it up, and says so. */
  | {
      readonly type: 'reclaim';
      readonly ticket: number;
      readonly deadlineMs: number;
      readonly leftIn: LeftIn;
    }
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
  /** The answer is a `FoundPage`; it comes when a page that is just being made is there, or cannot be. */
  | { readonly type: 'page'; readonly activity: Activity }
  /** The answer is a `Rooms`. */
  | { readonly type: 'rooms' }
  /** Frees an activity's page. Refuses with NoSuchPage; a turn may be about to need it. */
  | { readonly type: 'drop-page'; readonly activity: Activity }
  /**
   * A room is new again: lane and page hold nothing of it, and nothing of it is read from disk any more. The answer is whether
   * that is so, when nothing of it is being written either: it is not while a run of it has yet to end.
   */
  | { readonly type: 'forget-room'; readonly activity: Activity }
  /**
   * Takes all lanes back and has the context made anew; the answer is its `Shape`. Refuses with DeadlineExceeded,
   * MailboxFull while another is asked for, EngineLost, and with what opening a context throws.
   */
  | { readonly type: 'relaunch'; readonly shape: Shape; readonly deadlineMs: number };

export type PageList = readonly PageRecord[];

/** Where all rooms are that are anywhere. */
export interface Rooms {
  readonly places: readonly RoomPlace[];
  /** Bytes that all pages in memory may take together. */
  readonly ceilingBytes: number;
}

export interface FoundPage {
  /** In memory. */
  readonly page: PageRecord | undefined;
  readonly file: FiledPage | undefined;
}

/** What the broker hears of pages on disk. */
export interface PagerToBroker {
  readonly type: 'disk';
  readonly word: DiskWord;
}

export type DiskWord =
  /** A page in memory was written; with `drop` memory lets go of it, unless something is about to need it. */
  | { readonly type: 'filed'; readonly file: FiledPage; readonly page: number; readonly drop: boolean }
  /** A lane was written as it is, which needs it no longer. */
  | { readonly type: 'left'; readonly file: FiledPage; readonly lane: IdleLane }
  /** What became of a lane that was to leave; without an error, `left` has said it. */
  | { readonly type: 'lane-over'; readonly lane: IdleLane; readonly error: ErrorEnvelope | undefined }
  /** What was to be written because memory is short is on disk, as `filed` has said; or it cannot be. */
  | { readonly type: 'put-away'; readonly page: number; readonly error: ErrorEnvelope | undefined }
  /** A file that was lent is there for its own sake from now on. */
  | { readonly type: 'kept'; readonly name: string }
  /** It is not on disk any more. */
  | { readonly type: 'removed'; readonly name: string }
  /** A page was read into memory, under this number, because somebody asked for it. */
  | { readonly type: 'recalled'; readonly file: FiledPage; readonly page: number }
  /** What the broker wanted read is in memory, under this number; or it could not be. */
  | {
      readonly type: 'read';
      readonly read: number;
      /** As the file was by then: it may have been written anew since the broker asked. */
      readonly record: PageRecord;
      readonly ms: number;
    }
  /** The pager or the broker was started again: of each of these it is told `taken` or `release`. */
  | { readonly type: 'handed'; readonly pages: readonly number[] }
  | {
      readonly type: 'unread';
      readonly read: number;
      readonly activity: Activity;
      readonly error: ErrorEnvelope;
    };

/** A room that is to be on disk. */
interface LeavingRoom {
  readonly activity: Activity;
  readonly mind: ActorId;
  /** What its page takes in memory, or would take. */
  readonly bytes: number;
  /** Whether it has a file already. */
  readonly isFiled: boolean;
}

/** In memory, under this number. */
export type LeavingPage = LeavingRoom & { readonly page: number };
/** In a lane that nobody runs on. */
export type LeavingLane = LeavingRoom & { readonly lane: IdleLane };

export type BrokerToPager =
  /** Memory is short: these are to be written, in this order; of each `put-away` says what became of it. */
  | { readonly type: 'put-away'; readonly pages: readonly LeavingPage[]; readonly deadlineMs: number }
  /** The same of a lane, which is written as it is, through a window: `lane-over` says what became of it. */
  | { readonly type: 'put-lane-away'; readonly leaving: LeavingLane; readonly deadlineMs: number }
  /** A file that was lent is of no use any more. */
  | { readonly type: 'take-back'; readonly name: string }
  /** A room's page is needed in memory; answered by `read` or `unread`. */
  | { readonly type: 'read'; readonly read: number; readonly file: FiledPage }
  /** It is not needed any more. */
  | { readonly type: 'stop-reading'; readonly read: number }
  /** A page that was brought in is in the engine's hands. */
  | { readonly type: 'taken'; readonly page: number }
  /** A page that was brought in is nobody's. */
  | { readonly type: 'release'; readonly page: number };

export interface BrokerArgs {
  /** Bytes that all pages may take together. */
  readonly pageBytes: number;
  readonly budgets: Budgets;
  /** What the engine shows of its lanes; see its `status.ts`. */
  readonly status: Int32Array;
}
