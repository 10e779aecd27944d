/**
 * An actor of the user's own: how it is declared, how the main thread holds it and its supervisor, and how its handlers
 * find another one.
 */
import { checkChild } from './actor-options.js';
import { NoSuchActor } from './errors.js';
import { onEnd } from './on-end.js';
import type { AskOptions, Context, Definition, TellOptions } from './runtime/actor.js';
import { type ActorId, NOBODY } from './runtime/address.js';
import { ASK_DEADLINE_MS } from './runtime/defaults.js';
import { Band, type Message } from './runtime/message.js';
import { spawnedWithinMs } from './runtime/placement.js';
import type { System } from './runtime/system.js';
import { DIRECTORY } from './runtime/well-known.js';
import type { ChildOptions } from './supervisor-options.js';

/** What callers hold of any actor that they have started or looked up. */
class Handle {
  readonly name: string;
  readonly id: ActorId;
  /**
   * Why it ended, once it has: stopped, crashed for good, or gone with the troupe. A restart, or a loss of its thread from
   * which it comes back, is no end. Never rejects.
   */
  readonly ended: Promise<string>;
  protected readonly system: System;

  /** For `Troupe`. */
  constructor(name: string, id: ActorId, system: System) {
    this.name = name;
    this.id = id;
    this.system = system;
    this.ended = system.ended(id, name);
  }

  /** Calls `told` with the reason once it has ended. Answers the function that takes this back. */
  watch(told: (reason: string) => void): () => void {
    return onEnd(this.ended, told);
  }

  /** Ends it, a supervisor with its children. Settles when its own `stop` has; its name is free then. */
  stop(): Promise<void> {
    return this.system.stopActor(this.id, 'it was stopped');
  }
}

export class Actor<M extends Message = Message> extends Handle {
  /** False: it is known that it cannot take the message; nothing was sent. Throws `BadArgument`. */
  tell(message: M, options?: TellOptions): boolean {
    return this.system.tell(this.id, message, options);
  }

  /** Rejects with what it refuses with, or `AskTimeout`, `ActorCrashed`, `ActorEnded`, `MailboxFull`, ... */
  ask<T>(message: M, options?: AskOptions): Promise<T> {
    return this.system.ask<T>(this.id, message, options);
  }
}

export class Supervisor extends Handle {
  /** Starts one more child, the last in order. Rejects as `troupe.actor` does, or with `ActorEnded` when it gives up. */
  async start<M extends Message = Message>(child: ChildOptions): Promise<Actor<M>> {
    const { message, options } = startOf(child);
    return new Actor<M>(child.name, await this.system.ask<ActorId>(this.id, message, options), this.system);
  }
}

/** A definition with its types checked: `export default defineActor({ kind, start })`. */
export const defineActor = <Args = unknown>(definition: Definition<Args>): Definition<Args> => definition;

/** What a supervisor is asked for one more child. Throws `BadArgument`. */
function startOf(child: ChildOptions): { readonly message: Message; readonly options: AskOptions } {
  const options = checkChild(child, 'child');
  const deadlineMs = spawnedWithinMs(options) + ASK_DEADLINE_MS;
  return { message: { type: 'start', options }, options: { band: Band.reserved, deadlineMs } };
}

/**
 * Starts an actor under a supervisor that is named, asked from within a handler; answers its address. Rejects as
 * `troupe.actor` does, with `NoSuchActor`, or with `ActorEnded` when the supervisor gives up.
 */
export async function startChild(ctx: Context, supervisor: string, child: ChildOptions): Promise<ActorId> {
  const { message, options } = startOf(child);
  return ctx.ask<ActorId>(await lookup(ctx, supervisor), message, options);
}

/** The address of an actor by its name, asked from within a handler. Rejects with `NoSuchActor`. */
export async function lookup(ctx: Context, name: string): Promise<ActorId> {
  const id = await ctx.ask<ActorId>(DIRECTORY, { type: 'lookup', name }, { band: Band.reserved });
  if (id === NOBODY) throw new NoSuchActor({ name, near: undefined });
  return id;
}
