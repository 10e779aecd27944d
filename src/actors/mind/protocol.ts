/**
 * What a mind understands, and what a reader gets of a turn.
 */
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { QueueReason, TurnClass } from '../broker/protocol.js';
import type { PageMove } from '../engine/protocol.js';
import type { Sampling } from '../engine/sampling.js';
import type { GenesMissed, NamedGene } from '../residency/protocol.js';
import type { Exchange } from './transcript.js';

export interface MindArgs {
  readonly name: string;
  readonly system: string;
  readonly sampling: Sampling;
  readonly class: TurnClass;
  /** The phenotype of turns that name none. */
  readonly genes: readonly NamedGene[];
  /** Whether the system prompt runs no genes, so that minds of other phenotypes can share it. */
  readonly plainSystem: boolean;
  /** Weights that the vocabulary is read from. */
  readonly model: number;
  readonly modelName: string;
  /** Shared with the engine: tokens that one lane may hold. */
  readonly limits: Int32Array;
  readonly engine: ActorId;
  readonly broker: ActorId;
}

export const ON_RECLAIM = ['resume', 'end'] as const;
export type OnReclaim = (typeof ON_RECLAIM)[number];

/** Asked of a mind; the answer is a `TurnAnswer` when the turn has ended. */
export interface TurnRequest {
  readonly type: 'turn';
  /** Unique in the process. */
  readonly turn: number;
  readonly room: string;
  readonly text: string;
  readonly maxTokens: number | undefined;
  /** undefined: the mind's own. */
  readonly genes: readonly NamedGene[] | undefined;
  readonly sampling: Sampling;
  readonly stops: readonly string[];
  /** When its lane is taken back: whether it goes on later, or ends `reclaimed` with what there is. */
  readonly onReclaim: OnReclaim;
  /** When it was called, ms since the system's epoch; the deadline counts from there. */
  readonly calledAt: number;
  readonly deadlineMs: number;
  /** Gets the pieces, from the engine. */
  readonly reader: ActorId;
}

/**
 * Asked of a mind, behind the turns that came before: nothing was ever said in the room. The answer is whether that is so: not
 * while a turn of the room waits or runs.
 */
export interface ForgetRoom {
  readonly type: 'forget-room';
  readonly room: string;
}

export type MindControl =
  /** Asked of a mind: its turns end `aborted`, then it ends itself. */
  | { readonly type: 'leave' }
  | { readonly type: 'cancel'; readonly turn: number }
  /** The reader's answer: nothing more of that grant is read. */
  | ({ readonly type: 'read'; readonly turn: number; readonly grant: number } & HowFar)
  /** Asked of it: what was said in a room; the answer is a `MindTranscript`. */
  | { readonly type: 'transcript'; readonly room: string }
  /** What was said in a room elsewhere, to be gone on with; the answer is whether it is: not where more was said here. */
  | { readonly type: 'recall'; readonly room: string; readonly exchanges: readonly Exchange[] }
  /**
   * To itself: a turn is past its deadline; the engine was told to end a run and has said nothing since; a turn has waited
   * for an engine for as long as it may; one whose run could not be sent asks again.
   */
  | { readonly type: 'overdue' | 'silent' | 'away' | 'again'; readonly turn: number };

/** Asked of a reader by a mind, of a run that has no last word. */
export interface ReaderQuestion {
  readonly type: 'how-far';
  readonly turn: number;
  readonly grant: number;
}

/** What a reader has of a reply: its text, and the tokens that came with it. */
export interface HowFar {
  readonly text: string;
  readonly tokens: readonly number[];
}

/** What a mind is called, what was said in a room, and the genes of a turn that names none. */
export interface MindTranscript {
  readonly name: string;
  readonly exchanges: readonly Exchange[];
  readonly genes: readonly NamedGene[];
}

/**
 * How a turn or one run of it ended: by itself or at a stop string; at its most tokens; by its caller, or because its mind left;
 * because its lane was taken back; by an error; and of a run alone, with its engine.
 */
export type Outcome = 'stop' | 'length' | 'aborted' | 'reclaimed' | 'failed' | 'lost';

/** A page read from disk for a run: bytes in memory, and how long it took. */
export interface FromDisk extends PageMove {
  /** Why it could not be read, so that the room was read anew. */
  readonly failed: { readonly code: string; readonly message: string } | undefined;
}

/** One run of a turn on a lane. */
export interface RunReceipt {
  readonly lane: number;
  /** Prompt tokens that were processed, and those that were in the KV already. */
  readonly processed: number;
  readonly reused: number;
  /** How many of these another lane had processed. */
  readonly shared: number;
  /** Tokens sampled, the ending one too. */
  readonly produced: number;
  /** What was brought in from the room's page for it. */
  readonly pagedIn: PageMove;
  /** What had to be read from disk before that. */
  readonly fromDisk: FromDisk;
  /** From the run's arrival at the engine to its first row, from there to the first token, from there to the end. */
  readonly waitedMs: number;
  readonly promptMs: number;
  readonly decodeMs: number;
  readonly outcome: Outcome;
}

/** What one turn did, faults included. */
export interface Receipt {
  readonly mind: string;
  readonly room: string;
  readonly turn: number;
  readonly model: string;
  /** Genes and scales that ran, aligned; empty: the base model. */
  readonly phenotype: { readonly genes: readonly string[]; readonly scales: readonly number[] };
  /** Genes, and their bytes, that had to be moved to the device for it. */
  readonly genesMissed: GenesMissed;
  readonly runs: readonly RunReceipt[];
  /** Milliseconds waited, by reason (docs/memory.md): `{ lane: 120.5 }`; `room`: for turns of its room that were called before. */
  readonly waits: Readonly<Partial<Record<QueueReason | 'room', number>>>;
  readonly outcome: Outcome;
  readonly seed: number;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** Earlier turns that left the room for this one to fit. */
  readonly turnsDropped: number;
  /** From the call to the first piece and to the end. */
  readonly firstPieceMs: number | undefined;
  readonly totalMs: number;
}

export interface TurnAnswer {
  readonly outcome: Outcome;
  /** The whole reply, for pieces may be on their way yet, or lost with an engine. undefined: the reader has what there is. */
  readonly text: string | undefined;
  readonly receipt: Receipt;
  readonly error: ErrorEnvelope | undefined;
}
