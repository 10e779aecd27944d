/**
 * The actor at slot 0 of every thread: what others may ask of the thread itself.
 */
import { type Behaviour, type Context, type Definition, refuse, type SpawnOptions } from './actor.js';
import { type ActorId, NOBODY, threadActor } from './address.js';
import { end } from './end.js';
import { ActorEnded, BadArgument, SiblingCrashed, ThreadLost, type TroupeError } from './errors.js';
import { failStart, takeDown } from './life.js';
import { peek } from './peek.js';
import type { Again, Thread } from './thread.js';
import type { TraceBatch, TraceOrder } from './trace-protocol.js';
import { Tracer } from './tracer.js';

export type { PeekedMessage, PeekReport } from './peek.js';

/** An actor of an earlier life of the thread. `error`: what it did to it. */
interface Reserved {
  readonly id: ActorId;
  readonly options: SpawnOptions;
  readonly error: string | undefined;
}

export type ThreadMessage =
  | { readonly type: 'spawn'; readonly options: SpawnOptions; readonly again?: Again }
  /** Nobody waits for the start of this actor any more. */
  | { readonly type: 'abandon'; readonly name: string }
  /** Makes mailboxes for actors that will be started again, so that what is sent to them is kept. */
  | { readonly type: 'reserve'; readonly actors: readonly Reserved[] }
  | { readonly type: 'peek'; readonly id: ActorId; readonly preview: boolean }
  | { readonly type: 'stop'; readonly id: ActorId; readonly reason: string }
  | { readonly type: 'trace'; readonly order: TraceOrder }
  | { readonly type: 'untrace'; readonly trace: number }
  /** To the main thread's: what a thread has traced. */
  | ({ readonly type: 'traced' } & TraceBatch)
  /** Takes an actor down, for a sibling that crashed; it asks its supervisor when to start. */
  | { readonly type: 'suspend'; readonly id: ActorId; readonly sibling: string; readonly reason: string }
  /** An actor without which the system cannot be has given up. */
  | { readonly type: 'vital-lost'; readonly actor: string; readonly reason: string };

class ThreadActor implements Behaviour {
  readonly #thread: Thread;
  readonly #load: Loader;
  readonly #definitions = new Map<string, Promise<Definition>>();

  constructor(thread: Thread, load: Loader) {
    this.#thread = thread;
    this.#load = load;
  }

  receive(message: ThreadMessage, ctx: Context): unknown {
    return this.control(message, ctx);
  }

  control(message: ThreadMessage, ctx: Context): unknown {
    switch (message.type) {
      case 'spawn': {
        if (!this.#thread.isBack) {
          return refuse(new ThreadLost({ thread: this.#thread.name, reason: 'it is not back yet' }));
        }
        const reply = ctx.replyLater();
        void this.#spawn(message).then(reply.resolve, reply.reject);
        return undefined;
      }
      case 'abandon': {
        const cell = this.#thread.cells().find(({ name }) => name === message.name);
        return cell && this.#end(cell.id, 'nobody waits for its start any more', ctx);
      }
      case 'reserve':
        this.#thread.isBack = true;
        for (const { id, options, error } of message.actors) {
          const { slot } = this.#thread.place(options, id);
          if (error !== undefined) this.#thread.board.noteError(slot, error);
        }
        return undefined;
      case 'peek': {
        const cell = this.#thread.cell(message.id);
        return cell ? peek(cell, message.preview) : refuse(gone(message.id));
      }
      case 'trace':
        return Tracer.begin(this.#thread, message.order);
      case 'untrace':
        return this.#thread.tracer?.end(message.trace);
      case 'traced':
        return this.#thread.onTraced?.(message);
      case 'stop':
        return this.#end(message.id, message.reason, ctx);
      case 'suspend':
        return this.#suspend(message, ctx);
      case 'vital-lost':
        return this.#thread.onVitalLost?.(message.actor, message.reason);
    }
  }

  /** Answers when it has stopped. */
  #suspend({ id, sibling, reason }: ThreadMessage & { type: 'suspend' }, ctx: Context): unknown {
    const cell = this.#thread.cell(id);
    if (cell === undefined) return refuse(gone(id));
    const reply = ctx.replyLater();
    const error = new SiblingCrashed({ actor: cell.name, sibling, cause: reason });
    void takeDown(cell, error).then(() => reply.resolve(undefined));
    return undefined;
  }

  /** Answers when it has ended; also one that is about to. */
  #end(id: ActorId, reason: string, ctx: Context): unknown {
    const cell = this.#thread.cell(id);
    const ending = cell === undefined ? this.#thread.ending.get(id) : end(cell, reason);
    if (ending === undefined) return refuse(gone(id));
    const reply = ctx.replyLater();
    void ending.then(() => reply.resolve(undefined));
    return undefined;
  }

  async #spawn({ options, again }: ThreadMessage & { type: 'spawn' }): Promise<ActorId> {
    const reserved = this.#thread.cell(again?.id ?? NOBODY);
    // It was stopped between its mailbox and its start.
    if (again !== undefined && reserved === undefined) throw gone(again.id);
    const cell = reserved ?? this.#thread.place(options);
    try {
      await this.#thread.start(cell, await this.#definition(options.module), again);
      return cell.id;
    } catch (error) {
      failStart(cell, error);
      throw error;
    }
  }

  #definition(module: string): Promise<Definition> {
    let definition = this.#definitions.get(module);
    if (definition === undefined) {
      definition = this.#load(module);
      this.#definitions.set(module, definition);
      definition.catch(() => this.#definitions.delete(module));
    }
    return definition;
  }
}

const gone = (id: ActorId): TroupeError =>
  new ActorEnded({ actor: `actor ${id}`, reason: 'no actor lives at this address' });

/** The definition of an actor, from the module that its spawn names. */
export type Loader = (module: string) => Promise<Definition>;

export async function importDefinition(module: string): Promise<Definition> {
  const loaded = (await import(module)) as { default?: Definition };
  if (typeof loaded.default?.start === 'function') return loaded.default;
  throw new BadArgument({
    argument: 'module',
    value: module,
    expected: 'a module whose default export is an actor definition',
  });
}

/** Its address is the same in every life of the thread. */
export async function startThreadActor(
  thread: Thread,
  life: number,
  load: Loader = importDefinition,
): Promise<ActorId> {
  const definition: Definition = { kind: 'thread', start: () => new ThreadActor(thread, load) };
  const options = { name: `thread/${thread.name}`, args: undefined };
  return thread.spawn(definition, options, {
    id: threadActor(thread.number),
    incarnation: life,
    saved: new Map(),
  });
}
