/**
 * The directory: which actor has which name, on which thread, and how to start it again. One for the system, on the
 * control thread.
 */
import { type Behaviour, type Context, type Definition, refuse, type SpawnOptions } from './actor.js';
import { type ActorId, NOBODY, threadActor, threadOf } from './address.js';
import { NAME_BYTES, THREAD_START_MS } from './defaults.js';
import { ActorEnded, BadArgument, NameTaken, ThreadLost } from './errors.js';
import { Band } from './message.js';
import { CONTROL_THREAD, STORE } from './well-known.js';

export type DirectoryMessage =
  | ({ readonly type: 'spawn' } & SpawnOptions)
  | { readonly type: 'lookup'; readonly name: string }
  | { readonly type: 'stop'; readonly id: ActorId; readonly reason: string }
  | { readonly type: 'ended'; readonly id: ActorId }
  | { readonly type: 'respawn'; readonly thread: number }
  | { readonly type: 'thread-gone'; readonly thread: number };

interface Entry {
  readonly options: SpawnOptions;
  readonly thread: number;
  /** 0 while it starts. */
  id: ActorId;
  lives: number;
}

/** Starts of a later life of its thread count from a multiple of this. */
const STARTS_A_LIFE = 2 ** 16;

class Directory implements Behaviour {
  readonly #hosts: readonly number[];
  readonly #byName = new Map<string, Entry>();
  readonly #byId = new Map<ActorId, Entry>();
  readonly #load = new Map<number, number>();

  constructor(hosts: readonly number[]) {
    this.#hosts = hosts;
  }

  receive(message: DirectoryMessage, ctx: Context): unknown {
    return this.control(message, ctx);
  }

  control(message: DirectoryMessage, ctx: Context): unknown {
    switch (message.type) {
      case 'spawn':
        return this.#spawn(message, ctx);
      case 'lookup':
        return this.#byName.get(message.name)?.id ?? NOBODY;
      case 'stop':
        return this.#stop(message, ctx);
      case 'ended':
        return this.#ended(message.id, ctx);
      case 'respawn':
        return this.#respawn(message.thread, ctx);
      case 'thread-gone':
        for (const [id, entry] of this.#byId) if (entry.thread === message.thread) this.#ended(id, ctx);
        return undefined;
    }
  }

  #spawn({ type: _, ...options }: DirectoryMessage & { type: 'spawn' }, ctx: Context): unknown {
    const bytes = Buffer.byteLength(options.name);
    if (bytes < 1 || bytes > NAME_BYTES) {
      return refuse(
        new BadArgument({
          argument: 'name',
          value: options.name,
          expected: `1 to ${NAME_BYTES} bytes of UTF-8`,
        }),
      );
    }
    if (this.#byName.has(options.name)) return refuse(new NameTaken({ name: options.name }));
    const thread = options.thread ?? this.#leastLoaded();
    const entry: Entry = { options, thread, id: NOBODY, lives: 0 };
    this.#byName.set(options.name, entry);
    this.#count(thread, 1);
    const reply = ctx.replyLater();
    this.#start(ctx, entry).then(reply.resolve, (error) => {
      this.#byName.delete(options.name);
      this.#count(thread, -1);
      reply.reject(error);
    });
    return undefined;
  }

  async #start(ctx: Context, entry: Entry, again?: object): Promise<ActorId> {
    const message = { type: 'spawn', options: entry.options, again };
    const id = await ctx.ask<ActorId>(threadActor(entry.thread), message, {
      band: Band.reserved,
      deadlineMs: entry.options.startMs ?? THREAD_START_MS,
      reason: `start ${entry.options.name}`,
    });
    entry.id = id;
    this.#byId.set(id, entry);
    return id;
  }

  /** Ends an actor; once this is answered its name is free. One whose thread is lost is not started again. */
  #stop(message: DirectoryMessage & { type: 'stop' }, ctx: Context): void {
    const reply = ctx.replyLater();
    const stopped = ctx.ask(threadActor(threadOf(message.id)), message, { band: Band.reserved });
    stopped
      .catch((error) => {
        if (!(error instanceof ActorEnded || error instanceof ThreadLost)) throw error;
      })
      .then(() => {
        this.#ended(message.id, ctx);
        reply.resolve(undefined);
      })
      .catch(reply.reject);
  }

  #ended(id: ActorId, ctx: Context): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    this.#byName.delete(entry.options.name);
    this.#count(entry.thread, -1);
    ctx.tell(STORE, { type: 'drop', id }, { band: Band.reserved });
  }

  /** Starts the actors of a lost thread again, each at its address and from its saved state. */
  #respawn(thread: number, ctx: Context): void {
    const reply = ctx.replyLater();
    const entries = [...this.#byId].filter(([id]) => threadOf(id) === thread);
    const all = entries.map(async ([id, entry]) => {
      entry.lives++;
      const saved = await ctx.ask<ReadonlyMap<string, unknown>>(
        STORE,
        { type: 'load', id },
        { band: Band.reserved },
      );
      if (!this.#byId.has(id)) return;
      await this.#start(ctx, entry, { id, incarnation: entry.lives * STARTS_A_LIFE, saved }).catch(
        (error) => {
          this.#ended(id, ctx);
          throw error;
        },
      );
    });
    Promise.allSettled(all).then((results) => {
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) reply.reject(failed.reason);
      else reply.resolve(results.length);
    });
  }

  #leastLoaded(): number {
    let best = this.#hosts[0] ?? CONTROL_THREAD;
    for (const host of this.#hosts) {
      if ((this.#load.get(host) ?? 0) < (this.#load.get(best) ?? 0)) best = host;
    }
    return best;
  }

  #count(thread: number, by: number): void {
    this.#load.set(thread, (this.#load.get(thread) ?? 0) + by);
  }
}

export const directory: Definition<{ hosts: readonly number[] }> = {
  kind: 'directory',
  start: (_ctx, args) => new Directory(args.hosts),
};
