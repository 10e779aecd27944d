/**
 * The directory: which actor has which name, on which thread, and how to start it again. One for the system, on the
 * control thread.
 */
import { type Behaviour, type Context, type Definition, refuse, type SpawnOptions } from './actor.js';
import { type ActorId, NOBODY, threadActor, threadOf } from './address.js';
import { ACTOR_START_MS, ACTOR_STOP_MS, ASK_DEADLINE_MS, FREEZES } from './defaults.js';
import { Entry } from './directory-entry.js';
import { Ends } from './ends.js';
import { ActorEnded, AskTimeout, asTroupeError, NameTaken, ThreadLost } from './errors.js';
import { Kin } from './kin.js';
import { Band } from './message.js';
import { Placement, type Threads } from './placement.js';
import { judgeCrash } from './supervision.js';
import { MAIN_THREAD, STORE } from './well-known.js';

export type DirectoryMessage =
  | { readonly type: 'spawn'; readonly options: SpawnOptions }
  | { readonly type: 'lookup'; readonly name: string }
  /** Answers why it ended, once it has. */
  | { readonly type: 'outlive'; readonly id: ActorId; readonly name: string }
  | { readonly type: 'stop'; readonly id: ActorId; readonly reason: string }
  /** `failed`: it crashed too often. */
  | {
      readonly type: 'ended';
      readonly id: ActorId;
      readonly name: string;
      readonly reason: string;
      readonly failed: boolean;
    }
  /** It froze its thread, which will be replaced. Answers whether it comes back with it; `reason` is its last error then. */
  | { readonly type: 'froze'; readonly id: ActorId; readonly reason: string }
  /** A thread is back: its actors get their mailboxes, then they start again. */
  | { readonly type: 'reserve' | 'respawn'; readonly thread: number };

/** An actor is ended within this: the end of its start, then its stop. */
const STOP_MS = 2 * ACTOR_STOP_MS + ASK_DEADLINE_MS;
const ORPHANED = 'its supervisor ended';
/** Starts of a later life of its thread count from a multiple of this. */
const STARTS_A_LIFE = 2 ** 16;

class Directory implements Behaviour {
  readonly #entries = new Map<string, Entry>();
  readonly #placement: Placement;
  readonly #kin = new Kin();
  readonly #ends = new Ends();
  /** Paths of modules, each kept once. */
  readonly #modules = new Map<string, string>();

  constructor(threads: Threads) {
    this.#placement = new Placement(threads);
  }

  receive(message: DirectoryMessage, ctx: Context): unknown {
    return this.control(message, ctx);
  }

  control(message: DirectoryMessage, ctx: Context): unknown {
    switch (message.type) {
      case 'spawn':
        return this.#spawn(message, ctx);
      case 'lookup':
        return this.#entries.get(message.name)?.id ?? NOBODY;
      case 'outlive': {
        const lives = this.#entries.get(message.name)?.id === message.id;
        return this.#ends.tell(message.id, lives, ctx.replyLater());
      }
      case 'stop':
        return this.#stop(message, ctx);
      case 'ended':
        return this.#ended(message, ctx);
      case 'froze':
        return this.#froze(message, ctx);
      case 'reserve':
        return this.#reserve(message.thread, ctx);
      case 'respawn':
        return this.#respawn(message.thread, ctx);
    }
  }

  #spawn({ options }: DirectoryMessage & { type: 'spawn' }, ctx: Context): unknown {
    const wrong = this.#placement.check(options);
    if (wrong !== undefined) return refuse(wrong);
    const { name } = options;
    if (this.#entries.has(name)) return refuse(new NameTaken({ name }));
    const thread = this.#placement.take(options.thread);
    const module = this.#modules.get(options.module) ?? options.module;
    this.#modules.set(module, module);
    const entry = new Entry({ ...options, module }, thread);
    this.#entries.set(name, entry);
    if (options.parent !== undefined) this.#kin.add(options.parent, name);
    const reply = ctx.replyLater();
    this.#start(ctx, entry).then(
      (id) => {
        entry.id = id;
        if (entry.gone === id) this.#remove(name, entry);
        else if (entry.orphan) void this.#end(id, ORPHANED, ctx).catch(() => {});
        reply.resolve(id);
      },
      async (error) => {
        reply.reject(error);
        if (unanswered(error)) await this.#abandon(ctx, entry);
        this.#remove(name, entry);
      },
    );
    return undefined;
  }

  #start(ctx: Context, entry: Entry, again?: object): Promise<ActorId> {
    const { options, thread } = entry;
    // The thread ends a start that takes too long; this is for a thread that does not get round to it.
    const deadlineMs = (options.startMs ?? ACTOR_START_MS) + ASK_DEADLINE_MS;
    const message = { type: 'spawn', options, again };
    const reason = 'start an actor';
    return ctx.ask(threadActor(thread), message, { band: Band.reserved, deadlineMs, reason });
  }

  /** The name stays taken until its thread has said that no such actor lives there. */
  async #abandon(ctx: Context, { options, thread }: Entry): Promise<void> {
    const message = { type: 'abandon', name: options.name };
    await ctx.ask(threadActor(thread), message, { band: Band.reserved, deadlineMs: STOP_MS }).catch(() => {});
  }

  /** Ends an actor; once this is answered its name is free. One whose thread is lost is not started again. */
  #stop({ id, reason }: DirectoryMessage & { type: 'stop' }, ctx: Context): void {
    const reply = ctx.replyLater();
    this.#end(id, reason, ctx).then(reply.resolve, reply.reject);
  }

  async #end(id: ActorId, reason: string, ctx: Context): Promise<void> {
    const at = threadActor(threadOf(id));
    try {
      await ctx.ask(at, { type: 'stop', id, reason }, { band: Band.reserved, deadlineMs: STOP_MS });
    } catch (error) {
      if (!(error instanceof ActorEnded || error instanceof ThreadLost)) throw error;
      const name = [...this.#entries].find(([, entry]) => entry.id === id)?.[0];
      if (name === undefined) return;
      // Its mailbox may just have been made for it on a thread that is coming back.
      ctx.tell(at, { type: 'abandon', name }, { band: Band.reserved });
      this.#ended({ id, name, reason, failed: false }, ctx);
    }
  }

  #ended(
    { id, name, reason, failed }: Omit<DirectoryMessage & { type: 'ended' }, 'type'>,
    ctx: Context,
  ): void {
    const entry = this.#entries.get(name);
    if (entry?.id === id) {
      const { parent, vital } = entry.options;
      this.#remove(name, entry);
      if (parent !== undefined)
        ctx.tell(parent, { type: 'gone', id, reason, failed }, { band: Band.reserved });
      if (vital && failed) this.#vitalLost(name, reason, ctx);
    } else if (entry?.id === NOBODY) entry.troubles.gone = id;
    this.#ends.ended(id, reason);
    ctx.tell(STORE, { type: 'drop', id }, { band: Band.reserved });
    void this.#endChildren(id, ctx);
  }

  /** False: it has done so too often, and has ended; its supervisor does not start it again either. */
  #froze({ id, reason }: DirectoryMessage & { type: 'froze' }, ctx: Context): boolean {
    const [name, entry] = [...this.#entries].find(([, { id: other }]) => other === id) ?? [];
    if (name === undefined || entry === undefined) return false;
    const { troubles } = entry;
    const verdict = judgeCrash(troubles.freezes, ctx.now, FREEZES);
    if (verdict.restart) {
      troubles.freezes = verdict.crashes;
      troubles.error = reason;
      return true;
    }
    ctx.probe({ name: 'actor.lost', actor: name, error: reason });
    if (entry.options.vital) this.#vitalLost(name, reason, ctx);
    this.#ended({ id, name, reason, failed: false }, ctx);
    return false;
  }

  #vitalLost(actor: string, reason: string, ctx: Context): void {
    ctx.tell(threadActor(MAIN_THREAD), { type: 'vital-lost', actor, reason }, { band: Band.reserved });
  }

  /** Those that their supervisor has not ended itself. */
  async #endChildren(parent: ActorId, ctx: Context): Promise<void> {
    for (const name of this.#kin.of(parent)) {
      const entry = this.#entries.get(name);
      if (entry?.id === NOBODY) entry.troubles.orphan = true;
      else if (entry !== undefined) await this.#end(entry.id, ORPHANED, ctx).catch(() => {});
    }
  }

  #remove(name: string, entry: Entry): void {
    if (this.#entries.get(name) !== entry) return;
    this.#entries.delete(name);
    this.#placement.free(entry.thread);
    if (entry.options.parent !== undefined) this.#kin.delete(entry.options.parent, name);
  }

  #on(thread: number): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.thread === thread && entry.id !== NOBODY);
  }

  #reserve(thread: number, ctx: Context): void {
    const reply = ctx.replyLater();
    const living = new Set(this.#on(thread).map(({ id }) => id));
    // A supervisor that was lost while it started for the first time is not there again.
    for (const parent of this.#kin.parentsOn(thread)) {
      if (!living.has(parent)) void this.#endChildren(parent, ctx);
    }
    const actors = this.#on(thread).map((entry) => {
      const { id, options, troubles } = entry;
      const { error } = troubles;
      troubles.reserved = true;
      troubles.error = undefined;
      return { id, options, error };
    });
    ctx
      .ask(threadActor(thread), { type: 'reserve', actors }, { band: Band.reserved })
      .then(reply.resolve, reply.reject);
  }

  /** Starts the actors of a lost thread again, from their saved state; not those that came there since it is back. */
  #respawn(thread: number, ctx: Context): void {
    const reply = ctx.replyLater();
    const lost = this.#on(thread).filter(({ reserved }) => reserved);
    const all = lost.map((entry) => this.#again(entry, ctx));
    void Promise.all(all).then((results) => reply.resolve(results.filter((back) => back).length));
  }

  /** False: it is not back; it has ended, or its thread was lost once more and the next life is its next try. */
  async #again(entry: Entry, ctx: Context): Promise<boolean> {
    const { id, options, troubles } = entry;
    troubles.reserved = false;
    const incarnation = ++troubles.lives * STARTS_A_LIFE;
    try {
      const load = { type: 'load', id };
      const saved = await ctx.ask<ReadonlyMap<string, unknown>>(STORE, load, { band: Band.reserved });
      if (this.#entries.get(options.name) !== entry) return false;
      await this.#start(ctx, entry, { id, incarnation, saved });
      return true;
    } catch (error) {
      const { code, message } = asTroupeError(error);
      const stopped = error instanceof ActorEnded && this.#entries.get(options.name) !== entry;
      if (error instanceof ThreadLost || stopped) return false;
      if (unanswered(error)) await this.#abandon(ctx, entry);
      ctx.probe({ name: 'actor.lost', actor: options.name, error: `${code}: ${message}` });
      this.#ended({ id, name: options.name, reason: message, failed: true }, ctx);
      return false;
    }
  }
}

/** The thread itself said nothing; when a start has taken too long there, it says so and has ended it. */
const unanswered = (error: unknown): boolean =>
  error instanceof AskTimeout && error.detail.message === 'spawn';

export const directory: Definition<Threads> = {
  kind: 'directory',
  start: (_ctx, args) => new Directory(args),
};
