/**
 * What an actor holds that must be let go of when it crashes or ends.
 */
import type { Cell } from './cell.js';
import type { Deadline } from './deadlines.js';
import type { TroupeError } from './errors.js';
import type { Envelope } from './message.js';
import { Waits } from './waits.js';

export type Change = readonly [key: string, value: unknown];

export class Holdings {
  /** Asks whose answers it took over. */
  readonly owed = new Set<Envelope>();
  readonly timers = new Set<Deadline>();
  readonly waits: Waits;
  /** Of state, by the handler that runs. */
  changes: Change[] = [];
  work: (() => boolean) | undefined;
  /** The message in whose handler it asked to end; true: outside of such a handler. */
  stopping: Envelope | true | undefined;
  readonly #cell: Cell;

  constructor(cell: Cell) {
    this.#cell = cell;
    this.waits = new Waits(cell.home.board, cell.id);
  }

  /** The changes so far; undefined when there are none. */
  takeChanges(): Change[] | undefined {
    if (this.changes.length === 0) return undefined;
    const { changes } = this;
    this.changes = [];
    return changes;
  }

  /** A handler ended well: its changes go to the store together. */
  commit(): void {
    const changes = this.takeChanges();
    if (changes !== undefined) this.#cell.home.save(this.#cell.id, changes);
  }

  get isEmpty(): boolean {
    const { owed, timers, waits, changes, work } = this;
    return (
      owed.size === 0 && timers.size === 0 && waits.isEmpty && changes.length === 0 && work === undefined
    );
  }

  release(error: TroupeError): void {
    const { router, deadlines } = this.#cell.home;
    for (const envelope of this.owed) router.fail(envelope, error);
    this.owed.clear();
    for (const timer of this.timers) deadlines.drop(timer);
    this.timers.clear();
    for (const wait of [...this.waits]) wait.ask?.abandon(error);
    this.waits.clear();
    this.changes = [];
    this.work = undefined;
  }
}
