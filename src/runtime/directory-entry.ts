/**
 * What the directory knows of one actor.
 */
import type { SpawnOptions } from './actor.js';
import { type ActorId, NOBODY } from './address.js';

const NEVER: readonly number[] = [];

/** A class, for its fixed shape: there may be a hundred thousand of them. */
export class Entry {
  /** NOBODY while it starts for the first time. */
  id: ActorId = NOBODY;
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

  constructor(
    readonly options: SpawnOptions,
    readonly thread: number,
  ) {}
}
