/**
 * What the engine understands and what it tells: runs on lanes, cancels, pieces of text, and how a run ended.
 */

import type { AppliedGene, SamplerOptions } from '../../native/addon.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';

/** Names a (mind, room) pair: whose KV a lane holds. */
export type Activity = string;

/** A lane and whose KV it is taken to hold. */
export interface LaneClaim {
  readonly lane: number;
  readonly activity: Activity;
}

export interface Run {
  readonly type: 'run';
  readonly grant: number;
  /** The engine's epoch that the grant was given for; see `up`. */
  readonly epoch: number;
  readonly activity: Activity;
  readonly lane: number;
  /** Whether the lane is taken to hold this activity; if not, whatever idle KV it holds is overwritten. */
  readonly continues: boolean;
  /** How many clears of this epoch the grant comes after: what it counts on being empty is. */
  readonly clears: number;
  /** Everything before the reply; at least one token. */
  readonly tokens: Int32Array;
  /** What the run's rows run, prompt and reply; empty: the model as it is. */
  readonly genes: readonly AppliedGene[];
  /** So many of the first tokens run no genes. */
  readonly base: number;
  readonly sampling: SamplerOptions;
  readonly stops: readonly string[];
  /** Most tokens to produce, 1 or more. */
  readonly maxTokens: number;
  /** Gets the reply's pieces, under this number. */
  readonly reader: ActorId;
  readonly turn: number;
}

/** Asked of the engine; the answer is an `EngineReady`. */
export interface ReadyRequest {
  readonly type: 'ready';
}

export type EngineMessage = Run | ReadyRequest;

export type EngineControl =
  /** A mind ends its run between two steps; one that has not come yet is refused when it comes. */
  | { readonly type: 'cancel'; readonly grant: number; readonly error: ErrorEnvelope | undefined }
  /** A reader has taken so many pieces. */
  | { readonly type: 'ack'; readonly grant: number; readonly pieces: number }
  /** The broker takes a grant back, whether or not its run has come. */
  | { readonly type: 'revoke'; readonly grant: number; readonly error: ErrorEnvelope }
  /** The broker empties idle lanes; one that holds something else by now is left alone. */
  | { readonly type: 'clear'; readonly epoch: number; readonly claims: readonly LaneClaim[] }
  /** A gene is gone for good: what was computed under it means nothing any more. */
  | { readonly type: 'unloaded'; readonly gene: number }
  /** To itself: the broker did not hear that it is up. */
  | { readonly type: 'unheard'; readonly epoch: number }
  /** The broker was started again: all runs end, all lanes are emptied, and the engine says `up` again. */
  | { readonly type: 'reset'; readonly error: ErrorEnvelope };

export type RunOutcome = 'stop' | 'length' | 'aborted' | 'failed';

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
  readonly outcome: RunOutcome;
  /** The whole reply. */
  readonly text: string;
  /** The end of it, which no piece has carried. */
  readonly rest: string;
  /** Pieces sent to the reader. */
  readonly pieces: number;
  /** The reply's tokens: exactly its text. */
  readonly reply: Int32Array;
  /** Tokens sampled, the ending one and those cut off by a stop string too. */
  readonly produced: number;
  readonly processed: number;
  readonly reused: number;
  readonly shared: number;
  readonly times: RunTimes;
  readonly error: ErrorEnvelope | undefined;
}

/** What a reader gets after a step: a piece of each of its turns that grew; the three lists are aligned. */
export interface Pieces {
  readonly type: 'pieces';
  readonly turns: readonly number[];
  readonly grants: readonly number[];
  readonly texts: readonly string[];
}

/** What the broker hears. */
export type EngineToBroker =
  | {
      readonly type: 'up';
      readonly engine: ActorId;
      /** Grows with each `up`. */
      readonly epoch: number;
      readonly lanes: number;
      readonly cells: number;
      /** Tokens that one lane may hold. */
      readonly context: number;
    }
  | {
      readonly type: 'ran';
      readonly grant: number;
      readonly lane: number;
      /** Whose KV the lane holds now, and how many tokens of it. */
      readonly activity: Activity | undefined;
      readonly held: number;
      readonly processed: number;
      readonly produced: number;
    }
  /** An idle lane holds less than it did. */
  | { readonly type: 'shrank'; readonly lane: number; readonly activity: Activity; readonly held: number }
  /** A grant that was revoked before its run came. */
  | { readonly type: 'never-ran'; readonly grant: number };

export interface EngineArgs {
  readonly model: string;
  readonly mmap: boolean;
  readonly gpuLayers: number;
  readonly lanes: number;
  readonly cells: number;
  readonly context: number;
  /** Most rows of a step. */
  readonly rows: number;
  readonly threads: number;
  readonly promptThreads: number;
  readonly flashAttention: boolean;
  readonly broker: ActorId;
  /** Shared with the main thread; see `status.ts`. */
  readonly status: Int32Array;
}

/** What the engine answers when asked `ready`: which weights other threads may attach to. */
export interface EngineReady {
  readonly model: number;
}
