/**
 * Files of pressure that are of no use any more, removed one after another: who removes files for all has a bounded queue. Who
 * has to do with a file of that name comes after its removal.
 */
import { NoSuchPage } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import { toEnvelope } from '../../runtime/errors.js';
import type { Loans } from './loans.js';
import type { Removals } from './removals.js';

/** Whoever writes that file again waits so long at most. */
const REMOVE_MS = 120_000;

export class TakeBacks {
  readonly #ctx: Pick<Context, 'probe'>;
  readonly #loans: Loans;
  readonly #removals: Pick<Removals, 'remove'>;
  /** Names, in order. */
  readonly #waiting = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Settles when none waits. */
  #all: Promise<void> | undefined;

  constructor(ctx: Pick<Context, 'probe'>, loans: Loans, removals: Pick<Removals, 'remove'>) {
    this.#ctx = ctx;
    this.#loans = loans;
    this.#removals = removals;
  }

  /** The file goes, if it was lent. */
  add(name: string): void {
    this.#waiting.add(name);
    this.#all ??= this.#takeAll();
  }

  /** All that is lent goes. Never rejects. */
  async end(): Promise<void> {
    for (const name of this.#loans.all()) this.add(name);
    await this.#all;
  }

  /** Settles when no file of that name is about to go. Never rejects. */
  async over(name: string): Promise<void> {
    await this.#underWay.get(name);
    if (this.#waiting.delete(name)) await this.#take(name);
  }

  async #takeAll(): Promise<void> {
    for (const name of this.#waiting) {
      this.#waiting.delete(name);
      await this.#take(name);
    }
    this.#all = undefined;
  }

  #take(name: string): Promise<void> {
    const taking = this.#taken(name).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, taking);
    return taking;
  }

  async #taken(name: string): Promise<void> {
    if (!this.#loans.has(name)) return;
    await this.#removals.remove(name, REMOVE_MS).catch((error: unknown) => {
      if (error instanceof NoSuchPage) this.#loans.end(name);
      else this.#ctx.probe({ name: 'page.unremoved', page: name, error: toEnvelope(error) });
    });
  }
}
