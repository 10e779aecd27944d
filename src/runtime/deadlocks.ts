/**
 * Finds the deadlocks that this thread sees whole, at once, and ends the newest wait of each.
 *
 * The waits of an actor count while the handler that made them awaits, or its start does: until then the actor takes no
 * user message (while it starts, none at all). An ask that was taken over by `replyLater` may be answered at any time and
 * does not count. A ring is closed by an ask that comes to lie at an actor which itself waits, and is looked for then.
 */
import { type ActorId, slotOf, threadOf } from './address.js';
import { ActorState, Board, Field } from './board.js';
import type { Cell } from './cell.js';
import { type Edge, fromNewest, type Path, walk } from './edges.js';
import { Deadlock } from './errors.js';
import { Band, queueBand } from './message.js';
import type { Thread } from './thread.js';
import type { Handler, Wait } from './waits.js';

export class Deadlocks {
  readonly #thread: Thread;
  /** Actors whose start awaits something. */
  readonly #starts = new Set<Cell>();

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** A handler has begun to await: what it has asked so far counts from now on. */
  awaits(cell: Cell, handler: Handler): void {
    const waits = cell.context?.held?.waits;
    if (waits === undefined) return;
    for (const wait of [...waits.of(handler)]) this.asked(cell, wait);
  }

  /** A start has begun to await, until `started`. */
  starts(cell: Cell, handler: Handler): void {
    this.#starts.add(cell);
    this.awaits(cell, handler);
  }

  started(cell: Cell): void {
    this.#starts.delete(cell);
  }

  /** An actor has asked. Asks to other threads are looked at where they arrive. */
  asked(cell: Cell, wait: Wait): void {
    const { handler, on } = wait;
    if (!wait.open || handler === undefined || !this.#isHere(on)) return;
    const asked = this.#thread.cell(on);
    if (asked === undefined || this.#awaiting(asked) === undefined) return;
    if (this.#awaiting(cell) !== handler) return;
    // One ask may close more rings than one; each time a wait fewer is there.
    for (;;) {
      const { found } = walk(on, on, this.#out, this.#isHere);
      if (found === undefined) return;
      this.#end(fromNewest(found));
    }
  }

  /** What an actor awaits with its mailbox closed: its handler in hand, or its start. */
  #awaiting(cell: Cell): Handler | undefined {
    if (cell.behaviour === undefined) return this.#starts.has(cell) ? cell.context : undefined;
    const state = cell.home.board.words[Board.at(cell.slot) + Field.state];
    return state === ActorState.awaiting ? cell.inHand : undefined;
  }

  readonly #isHere = (actor: ActorId): boolean => threadOf(actor) === this.#thread.number;

  /** The edges of an actor of this thread; of those that leave it only the asker's half is known. */
  readonly #out = (actor: ActorId): Edge[] => {
    const edges: Edge[] = [];
    const cell = this.#thread.cell(actor);
    const handler = cell && this.#awaiting(cell);
    if (cell === undefined || handler === undefined) return edges;
    for (const wait of cell.context?.held?.waits.of(handler) ?? []) {
      const { ask, on, since } = wait;
      if (ask === undefined || (this.#isHere(on) && !this.#isHeldUp(wait))) continue;
      edges.push({ from: actor, to: on, ask: ask.number, since, messageType: ask.request.messageType });
    }
    return edges;
  };

  /** Whether the one asked, an actor of this thread, must go on before it can answer. */
  #isHeldUp({ on, message }: Wait): boolean {
    const asked = this.#thread.cell(on);
    return (
      asked !== undefined && message !== undefined && !message.takenOver && isClosed(asked, message.band)
    );
  }

  #end(ring: Path): void {
    const [newest] = ring as [Edge];
    const thread = this.#thread;
    const cycle = ring.map(({ from, messageType: message }) => ({ actor: thread.nameOf(from), message }));
    const error = new Deadlock({ cycle });
    const { words, names } = thread.board;
    // Seen whether the handler catches it or not.
    words[Board.at(slotOf(newest.from)) + Field.lastError] = names.noteError(error.message);
    thread.asks.fail(newest.ask, error);
    thread.probes.emit({ name: 'deadlock', cycle });
  }
}

/** Whether an actor takes no message of a band now. What it has in hand is of the user band. */
const isClosed = (cell: Cell, band: Band): boolean =>
  cell.behaviour === undefined || (queueBand(band) === Band.user && cell.inHand !== undefined);
