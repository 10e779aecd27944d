/**
 * What the directory knows of one actor.
 */
import type { SpawnOptions } from './actor.js';
import { type ActorId, NOBODY } from './address.js';

const NEVER: readonly number[] = [];

/** What most actors never come to. */
class Troubles {
  lives = 0;
  /** It ended before its start was answered. */
  gone: ActorId | undefined = undefined;
  /** Its thread is back and has its mailbox, and it is not started again yet. */
  reserved = false;
  /** Its supervisor ended before its start was answered. */
  orphan = false;
  /** When it froze its thread. */
  freezes = NEVER;
  /** The error that it comes back with: what it did to its thread. */
  error: string | undefined = undefined;
}

/** A class, for its fixed shape: there may be a hundred thousand of them. */
export class Entry {
  /** NOBODY while it starts for the first time. */
  id: ActorId = NOBODY;
  #troubles: Troubles | undefined = undefined;

  constructor(
    readonly options: SpawnOptions,
    readonly thread: number,
  ) {}

  /** Made when it first has any. */
  get troubles(): Troubles {
    this.#troubles ??= new Troubles();
    return this.#troubles;
  }

  get gone(): ActorId | undefined {
    return this.#troubles?.gone;
  }

  get reserved(): boolean {
    return this.#troubles?.reserved === true;
  }

  get orphan(): boolean {
    return this.#troubles?.orphan === true;
  }
}
