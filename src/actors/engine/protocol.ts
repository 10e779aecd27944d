/**
 * What the engine understands and what it tells: runs on lanes, cancels, pieces of text, and how a run ended.
 */
import type { AppliedGene, SamplerOptions } from '../../native/addon.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { Activity } from '../activity.js';
import type { ReadyRequest } from './ready.js';
import type { Stretches } from './stretches.js';

/** A lane and whose KV it is taken to hold. */
export interface LaneClaim {
  readonly lane: number;
  readonly activity: Activity;
  /** Whether that goes into a page; if not, it is given up. */
  readonly keep: boolean;
}

/** The number of a page that is to be made and is not yet. */
export const UNMADE = 0;

/** The page of an activity, as others know it. */
export interface PageRecord {
  readonly activity: Activity;
  /** Its number in the store of this process; a later page of the activity has another. */
  readonly page: number;
  /** Tokens whose KV it has. */
  readonly held: number;
  /** What the store charges for it. */
  readonly bytes: number;
}

/** What is done on a lane by a grant of it. */
export interface Granted {
  readonly grant: number;
  /** The engine's epoch that the grant was given for; see `up`. */
  readonly epoch: number;
  readonly activity: Activity;
  readonly lane: number;
  /** Whether the lane is taken to hold this activity; if not, whatever idle KV it holds is overwritten. */
  readonly continues: boolean;
  /** So many of its first cells are counted as others' too; a run that cannot keep them is sent back. */
  readonly sharing: number;
  /** How many times in this epoch the engine was told to vacate lanes before the grant: it counts on them. */
  readonly vacated: number;
}

/**
 * A reply that was broken off and is to be gone on with. All else follows from its tokens: its text, what is held back of an
 * unfinished character or a possible stop string, where its random numbers are, what the penalties see.
 */
export interface ReplySoFar {
  /** Those sampled; none of them ended it. */
  readonly tokens: Int32Array;
  /** How much of its text pieces have carried, in UTF-16 units, and how many of its tokens came with them. */
  readonly carried: number;
  readonly carriedTokens: number;
}

/** What the lane does not hold and a page does is brought in first. */
export interface Run extends Granted {
  readonly type: 'run';
  /** Everything before the reply; at least one token. */
  readonly tokens: Int32Array;
  /** What the run's rows run, prompt and reply; empty: the model as it is. */
  readonly genes: readonly AppliedGene[];
  /** So many of the first tokens run no genes. */
  readonly base: number;
  /** Lengths of beginnings of the tokens at which later runs of the activity may part from this one, ascending. */
  readonly partings: readonly number[];
  readonly sampling: SamplerOptions;
  readonly stops: readonly string[];
  /** Most tokens of the whole reply, 1 or more. */
  readonly maxTokens: number;
  /** Gets the reply's pieces, under this number. */
  readonly reader: ActorId;
  readonly turn: number;
  /** What earlier runs of the turn left; its next token is the one after these. */
  readonly soFar?: ReplySoFar | undefined;
}

/** Takes an activity out of its lane into a page, or brings it in; answered by `moved`. */
export interface Move extends Granted {
  readonly type: 'page-out' | 'page-in';
  /** Whose activity it is. */
  readonly mind: ActorId;
}

/** All that needs a grant. */
export type Work = Run | Move;
export type EngineMessage = Work | ReadyRequest;

/** The numbers of a context, which a relaunch changes. */
export interface Shape {
  readonly lanes: number;
  /** KV places shared by all lanes. */
  readonly cells: number;
  /** Tokens that one lane may hold. */
  readonly context: number;
}

/** What is held by the lane of a run that yields is left in a page, if there is room, or in the lane, from where it goes to disk. */
export type LeftIn = 'page' | 'lane';

export type EngineControl =
  /** A mind ends its run between two steps; one that has not come yet is refused when it comes. */
  | { readonly type: 'cancel'; readonly grant: number; readonly error: ErrorEnvelope | undefined }
  /** A mind gives up the lane of a run between two steps: it ends `reclaimed`. */
  | { readonly type: 'yield'; readonly grant: number; readonly leftIn: LeftIn }
  /** A reader has taken so many pieces. */
  | { readonly type: 'ack'; readonly grant: number; readonly pieces: number }
  /** The broker takes a grant back, whether or not its run has come. Without an error the run yields. */
  | {
      readonly type: 'revoke';
      readonly grant: number;
      readonly error: ErrorEnvelope | undefined;
      readonly leftIn: LeftIn;
    }
  /** A gene is gone for good: what was computed under it means nothing any more. */
  | { readonly type: 'unloaded'; readonly gene: number }
  /** To itself: the broker did not hear that it is up. */
  | { readonly type: 'unheard'; readonly epoch: number }
  /**
   * The broker drops pages, by number, and then empties idle lanes. A lane that holds something else by now is left
   * alone, and so is a page that is gone.
   */
  | {
      readonly type: 'vacate';
      readonly epoch: number;
      readonly claims: readonly LaneClaim[];
      readonly drop: readonly PageRecord[];
    }
  /** A page that came from elsewhere is an activity's from now on, in place of any that it has. It counts as a `vacate`. */
  | { readonly type: 'adopt'; readonly epoch: number; readonly record: PageRecord }
  /** The broker has the context made anew, when nothing runs. What lanes hold goes into pages, and then: `up`. */
  | { readonly type: 'relaunch'; readonly shape: Shape }
  /** The broker was started again: all runs yield, what lanes hold goes into pages, and the engine says `up` again. */
  | { readonly type: 'reset' };

export type RunOutcome = 'stop' | 'length' | 'aborted' | 'reclaimed' | 'failed';

export interface RunTimes {
  /** From the run's arrival to its first row. */
  readonly waitedMs: number;
  /** From there to the first token. */
  readonly promptMs: number;
  /** From there to the end. */
  readonly decodeMs: number;
}

/** What a mind hears of its run, when it has ended. */
export interface RunDone {
  readonly type: 'done';
  readonly grant: number;
  /** If not, it says nothing of the reply, of which earlier runs may have made a part. */
  readonly begun: boolean;
  readonly outcome: RunOutcome;
  /** The whole reply, that of earlier runs too. */
  readonly text: string;
  /** The reply's tokens: exactly its text. */
  readonly reply: Int32Array;
  /** Of one that had begun and was reclaimed: what the next run goes on from. */
  readonly soFar: ReplySoFar | undefined;
  /** Tokens sampled by this run, the ending one and those cut off by a stop string too. */
  readonly produced: number;
  readonly processed: number;
  readonly reused: number;
  readonly shared: number;
  /** What was brought in from a page for it. */
  readonly pagedIn: PageMove;
  readonly times: RunTimes;
  readonly error: ErrorEnvelope | undefined;
}

/** Bytes copied between a lane and a page, and how long it took. */
export interface PageMove {
  readonly bytes: number;
  readonly ms: number;
}

/** The answer to a `Move`: what was moved, or why nothing was. */
export interface Moved extends PageMove {
  readonly type: 'moved';
  readonly grant: number;
  readonly error: ErrorEnvelope | undefined;
}

/**
 * What a reader gets after a step: a piece of each of its turns that grew; the lists are aligned. With a piece come the tokens
 * that its reply has grown by since the one before: they are there for a run after this one, should this engine be lost.
 */
export interface Pieces {
  readonly type: 'pieces';
  readonly turns: readonly number[];
  readonly grants: readonly number[];
  readonly texts: readonly string[];
  /** Where in its reply each begins, in UTF-16 units. */
  readonly from: readonly number[];
  /** Those of all pieces, one piece after the other, and how many are each one's. */
  readonly tokens: readonly number[];
  readonly counts: readonly number[];
}

/** What the broker hears. */
export type EngineToBroker =
  | {
      readonly type: 'up';
      readonly engine: ActorId;
      /** Grows with each `up`. */
      readonly epoch: number;
      readonly shape: Shape;
      readonly pages: readonly PageRecord[];
      /** Why it is not of the shape that it was told to have. */
      readonly error?: ErrorEnvelope | undefined;
    }
  | {
      readonly type: 'ran';
      readonly grant: number;
      readonly lane: number;
      /** Whose KV the lane holds now, and how many tokens of it. */
      readonly activity: Activity | undefined;
      readonly held: number;
      /** What a page of it would be charged. */
      readonly bytes: number;
      /** Which cells these are, if other lanes hold some of them too; else nothing. */
      readonly stretches: Stretches;
      readonly processed: number;
      readonly produced: number;
    }
  /** A lane and others hold the same cells: these, and for as long as it has this grant it only computes more after them. */
  | { readonly type: 'shared'; readonly grant: number; readonly lane: number; readonly stretches: Stretches }
  /** An idle lane holds less than it did. */
  | { readonly type: 'shrank'; readonly lane: number; readonly activity: Activity; readonly held: number }
  /** An activity has a page, in place of any that it had. */
  | { readonly type: 'paged'; readonly record: PageRecord }
  /** The page is no longer there: its activity is in a lane, or it was dropped or could not be brought in. */
  | { readonly type: 'unpaged'; readonly activity: Activity; readonly page: number }
  /** A grant that was revoked before its run came. */
  | { readonly type: 'never-ran'; readonly grant: number };

export interface EngineArgs {
  readonly model: string;
  readonly mmap: boolean;
  readonly gpuLayers: number;
  readonly shape: Shape;
  /** Most rows of a step; as many as there are lanes, if these are more. */
  readonly rows: number;
  readonly threads: number;
  readonly promptThreads: number;
  readonly flashAttention: boolean;
  /** Bytes that the pages of this process may take, and the checkpoints of all lanes. */
  readonly pageBytes: number;
  readonly checkpointBytes: number;
  readonly broker: ActorId;
  /** Names it, over all its lives, among all engines there ever are. */
  readonly owner: string;
  /** Shared with the main thread; see `status.ts`. */
  readonly status: Int32Array;
}
