/**
 * An actor of the user's own: how it is declared, how the main thread holds it, and how its handlers find another one.
 */
import { checkFields, checkMs, checkText, checkWhole } from './check.js';
import { BadArgument, NoSuchActor } from './errors.js';
import type { AskOptions, Context, Definition, SpawnOptions, TellOptions } from './runtime/actor.js';
import { type ActorId, NOBODY } from './runtime/address.js';
import { Band, type Message } from './runtime/message.js';
import type { RestartPolicy } from './runtime/supervision.js';
import type { System } from './runtime/system.js';
import { DIRECTORY } from './runtime/well-known.js';

export interface ActorOptions<Args = unknown> {
  /** Plain data, for its `start`. */
  readonly args?: Args;
  /** A thread's number, from `inspect()`; default: the host thread with the fewest actors. */
  readonly thread?: number;
  /** How often, and how soon, it starts again after a crash; default 5 times in 10 s, after 10 ms at first. */
  readonly restart?: RestartPolicy;
  /** With nothing to do for so long it vanishes until its next message; default: never. */
  readonly passivateMs?: number;
}

export class Actor<M extends Message = Message> {
  readonly name: string;
  readonly id: ActorId;
  readonly #system: System;

  /** For `Troupe`; a caller gets actors from `troupe.actor()`. */
  constructor(name: string, id: ActorId, system: System) {
    this.name = name;
    this.id = id;
    this.#system = system;
  }

  /** False: it is known that it cannot take the message; nothing was sent. Throws `BadArgument`. */
  tell(message: M, options?: TellOptions): boolean {
    return this.#system.tell(this.id, message, options);
  }

  /** Rejects with what it refuses with, or `AskTimeout`, `ActorCrashed`, `ActorEnded`, `MailboxFull`, ... */
  ask<T>(message: M, options?: AskOptions): Promise<T> {
    return this.#system.ask<T>(this.id, message, options);
  }

  /** Ends it. Settles when its own `stop` has; its name is free then. */
  stop(): Promise<void> {
    return this.#system.stopActor(this.id, 'it was stopped');
  }
}

/** A definition with its types checked: `export default defineActor({ kind, start })`. */
export const defineActor = <Args = unknown>(definition: Definition<Args>): Definition<Args> => definition;

/** What the runtime's and the troupe's own actors are called that are in no directory. */
const TAKEN = ['directory', 'store', 'reader'];

/** Throws `BadArgument`. */
export function checkActor(name: unknown, module: unknown, options: unknown): SpawnOptions {
  const fields = ['args', 'thread', 'restart', 'passivateMs'] as const;
  const { args, thread, restart, passivateMs } = checkFields<ActorOptions>(options, 'options', fields);
  const known = checkText(name, 'name');
  if (known === '' || /[/\n]/.test(known) || TAKEN.includes(known)) {
    const expected = `a string without / or a line break, and none of ${TAKEN.join(', ')}`;
    throw new BadArgument({ argument: 'name', value: name, expected });
  }
  const number = checkWhole(thread, 'options.thread', 0, 255);
  const idleMs = checkMs(passivateMs, 'options.passivateMs');
  return {
    name: known,
    module: checkUrl(module),
    args,
    ...(number === undefined ? {} : { thread: number }),
    ...(restart === undefined ? {} : { restart }),
    ...(idleMs === undefined ? {} : { passivateMs: idleMs }),
  };
}

function checkUrl(module: unknown): string {
  if (module instanceof URL) return module.href;
  if (typeof module === 'string' && URL.canParse(module)) return module;
  const expected = "a URL, such as new URL('./counter.js', import.meta.url)";
  throw new BadArgument({ argument: 'module', value: module, expected });
}

/** The address of an actor by its name, asked from within a handler. Rejects with `NoSuchActor`. */
export async function lookup(ctx: Context, name: string): Promise<ActorId> {
  const id = await ctx.ask<ActorId>(DIRECTORY, { type: 'lookup', name }, { band: Band.reserved });
  if (id === NOBODY) throw new NoSuchActor({ name, near: undefined });
  return id;
}
