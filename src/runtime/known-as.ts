/**
 * What actors are called by those who use them: `mind/ada`, of kind `mind`, is `ada` as long as no other is.
 */
import type { ActorId } from './address.js';
import type { ActorReport } from './inspect.js';
import { nearest } from './nearest.js';

export class KnownAs {
  readonly #byName = new Map<string, ActorReport>();
  readonly #byId = new Map<ActorId, ActorReport>();
  /** By its short name, and undefined where two have the same. */
  readonly #byShortName = new Map<string, ActorReport | undefined>();

  constructor(actors: readonly ActorReport[]) {
    for (const actor of actors) {
      this.#byId.set(actor.id, actor);
      this.#byName.set(actor.name, actor);
    }
    for (const actor of actors) {
      const short = shortName(actor);
      if (short === undefined || this.#byName.has(short)) continue;
      this.#byShortName.set(short, this.#byShortName.has(short) ? undefined : actor);
    }
  }

  actor(id: ActorId): ActorReport | undefined {
    return this.#byId.get(id);
  }

  /** The shortest name that finds it. */
  name(actor: ActorReport): string {
    const short = shortName(actor);
    return short !== undefined && this.#byShortName.get(short) === actor ? short : actor.name;
  }

  /** The actor of a name, whole or short. */
  find(name: string): ActorReport | undefined {
    return this.#byName.get(name) ?? this.#byShortName.get(name);
  }

  /** The name, of those that find an actor, which a wrong one was probably meant to be. */
  nearest(name: string): string | undefined {
    return nearest(name, [...this.#byShortName.keys(), ...this.#byName.keys()]);
  }
}

/** A name without its kind before it. Those of the threads' own actors say nothing without. */
function shortName({ name, kind }: ActorReport): string | undefined {
  const prefix = `${kind}/`;
  return kind !== 'thread' && name.startsWith(prefix) && name.length > prefix.length
    ? name.slice(prefix.length)
    : undefined;
}
