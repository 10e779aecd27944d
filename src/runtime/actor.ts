/**
 * What an actor is to the one who writes it: a definition, a behaviour, and the context its handlers get.
 */
import type { ActorId } from './address.js';
import type { Band, Message, Notice } from './message.js';
import type { Probe } from './probes.js';
import type { RestartPolicy } from './supervision.js';

/** The default export of an actor's module. */
export interface Definition<Args = unknown> {
  /** What kind of actor this is, for those who look (`mind`, `broker`). */
  readonly kind: string;
  /**
   * Makes the actor's behaviour, at its first start and after each restart. `saved` is what it last handed over by
   * `ctx.save`. May be async; messages wait meanwhile.
   */
  start(ctx: Context, args: Args, saved: ReadonlyMap<string, unknown>): Behaviour | Promise<Behaviour>;
}

export interface Behaviour {
  /**
   * Handles one user message; no other starts before it settles. What it returns answers an ask, unless it called
   * `ctx.replyLater()`. To answer with an error return `refuse(error)`; throwing is a crash.
   */
  receive(message: never, ctx: Context): unknown;
  /** Handles one control message at once, also while `receive` awaits. May not await; its value answers an ask. */
  control?(message: never, ctx: Context): unknown;
  /** Told by the runtime: an actor watched has ended, or a message came back. May not await. */
  notice?(notice: Notice, ctx: Context): void;
  /**
   * It was idle for as long as its spawn's `passivateMs`, and is about to vanish until the next message: hand over what
   * is not yet saved. False: not now. May not await.
   */
  passivate?(ctx: Context): boolean | undefined;
  /** The actor ends, or its state is discarded before a restart: free what is held. */
  stop?(reason: string): void | Promise<void>;
}

export interface AskOptions {
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  readonly band?: Band;
  /** Why the caller waits, for those who look. Default: the message's type. */
  readonly reason?: string;
  readonly transfer?: readonly Transferable[];
}

export interface TellOptions {
  readonly band?: Band;
  /** Objects to move instead of clone, across threads. */
  readonly transfer?: readonly Transferable[];
}

export interface WaitOptions {
  /** The actor that can end the wait. */
  readonly for: ActorId;
  readonly reason: string;
  readonly deadlineMs: number;
}

export type Transferable = ArrayBuffer;

/** What a handler returns to answer an ask with an error and live on. */
export class Refusal {
  constructor(readonly error: unknown) {}
}
export const refuse = (error: unknown): Refusal => new Refusal(error);

/** An answer given later. Settles once; further calls do nothing. */
export interface Reply {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface SpawnOptions {
  /** Unique in the system, 1 to 64 bytes of UTF-8. */
  readonly name: string;
  /** URL of the module whose default export is the definition. */
  readonly module: string;
  /** Plain data. */
  readonly args: unknown;
  /** A thread's number; default: the host thread with the fewest actors. */
  readonly thread?: number;
  /** How long its start may take; default 30 s. */
  readonly startMs?: number;
  /** How often, and how soon, it starts again after a crash; default 5 times in 10 s, after 10 ms at first. */
  readonly restart?: RestartPolicy;
  /**
   * With no message for so long, and nothing awaited, owed or timed, the actor vanishes: its behaviour stops, its
   * address and mailbox stay, and the next message starts it again from its saved state. Default: never.
   */
  readonly passivateMs?: number;
  /** The supervisor that decides what follows its crashes; it ends with it. A supervisor sets it for its children. */
  readonly parent?: ActorId;
  /** The system fails when it has crashed too often. */
  readonly vital?: boolean;
}

export interface Context {
  readonly self: ActorId;
  readonly name: string;
  /** Grows with every start, also over restarts of the thread; 0 the first time. */
  readonly incarnation: number;
  /** Who sent the message in hand; 0 if no actor did. Read it before the first `await`. */
  readonly sender: ActorId;
  /** Milliseconds since the system's epoch, as of this slice. */
  readonly now: number;
  tell(to: ActorId, message: Message, options?: TellOptions): boolean;
  ask<T>(to: ActorId, message: Message, options?: AskOptions): Promise<T>;
  /** Takes over the answer to the ask in hand. Call before the first `await`. */
  replyLater(): Reply;
  watch(id: ActorId): void;
  unwatch(id: ActorId): void;
  /** A message to itself on the control band, later. Answers a function that takes it back. */
  after(ms: number, message: Message): () => void;
  /** Declares what the actor waits for. Answers the function that ends the wait. */
  wait(options: WaitOptions): () => void;
  /** Hands a change of state over to the store when this handler ends well; undefined deletes the key. */
  save(key: string, value: unknown): void;
  /**
   * Work for when nothing is queued for this thread: called again, between slices, until it answers false.
   * One piece of work an actor; `wake()` starts it again.
   */
  work(step: () => boolean): { wake(): void };
  /** Ends this actor after the handler in hand. */
  stop(): void;
  probe(probe: Probe): void;
}
