/**
 * This thread's part of the wait-for graph: the waits that its actors' handlers make, and those that its actors cannot
 * end before they go on themselves. A wait for an actor of another thread is seen whole only by both together.
 *
 * The waits of an actor count while the handler that made them awaits, or its start does: until then the actor takes no
 * user message (while it starts, none at all). An ask that was taken over by `replyLater` may be answered at any time and
 * does not count.
 */
import { type ActorId, threadOf } from './address.js';
import { ActorState, Board, Field } from './board.js';
import type { Cell } from './cell.js';
import type { Edge } from './edges.js';
import { Band, type Envelope, queueBand } from './message.js';
import { Phase } from './phases.js';
import type { Thread } from './thread.js';
import type { Handler, Wait } from './waits.js';

export class WaitGraph {
  readonly #thread: Thread;
  /** Actors whose start awaits something. */
  readonly starts = new Set<Cell>();

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  readonly isHere = (actor: ActorId): boolean => threadOf(actor) === this.#thread.number;

  /** The edges of an actor of this thread; of those that leave it only the asker's half is known. */
  readonly out = (actor: ActorId): Edge[] => {
    const edges: Edge[] = [];
    const cell = this.#thread.cell(actor);
    for (const wait of cell === undefined ? [] : this.#waits(cell)) {
      const { ask, on, since } = wait;
      if (ask === undefined || (this.isHere(on) && !this.#isHeldUp(wait))) continue;
      edges.push({ from: actor, to: on, ask: ask.number, since, messageType: ask.request.messageType });
    }
    return edges;
  };

  /** Whether an edge is there, as far as this thread can see. */
  has(edge: Edge): boolean {
    const { from, to, ask } = edge;
    if (this.isHere(from) && !this.out(from).some((other) => other.ask === ask)) return false;
    return this.isHere(from) || !this.isHere(to) || this.holdsUp(edge);
  }

  /** Whether the one asked, an actor of this thread, must go on before it can answer an ask from another. */
  holdsUp({ from, to, ask }: Edge): boolean {
    const asked = this.#thread.cell(to);
    if (asked === undefined) return false;
    const isAsk = (envelope: Envelope): boolean => envelope.ask === ask && envelope.from === from;
    const { inHand, phase } = asked;
    if (inHand !== undefined && isAsk(inHand)) return !inHand.takenOver;
    if (inHand === undefined && phase === Phase.running) return false;
    for (const envelope of asked) if (isAsk(envelope)) return isClosed(asked, envelope.band);
    return false;
  }

  /** What an actor awaits with its mailbox closed: its handler in hand, or its start. */
  awaiting(cell: Cell): Handler | undefined {
    if (cell.phase !== Phase.running) return this.starts.has(cell) ? cell.context : undefined;
    const state = cell.home.board.words[Board.at(cell.slot) + Field.state];
    return state === ActorState.awaiting ? cell.inHand : undefined;
  }

  /** Whether an actor awaits, and has itself asked. */
  isWaiting(cell: Cell): boolean {
    if (this.awaiting(cell) === undefined) return false;
    for (const { ask } of this.#waits(cell)) if (ask !== undefined) return true;
    return false;
  }

  #waits(cell: Cell): Iterable<Wait> {
    const handler = this.awaiting(cell);
    const waits = cell.held?.waits;
    return handler === undefined || waits === undefined ? [] : waits.of(handler);
  }

  #isHeldUp({ on, message }: Wait): boolean {
    const asked = this.#thread.cell(on);
    if (asked === undefined || message === undefined) return false;
    return !message.takenOver && isClosed(asked, message.band);
  }
}

/** Whether an actor takes no message of a band now. What it has in hand is of the user band. */
const isClosed = (cell: Cell, band: Band): boolean =>
  cell.phase !== Phase.running || (queueBand(band) === Band.user && cell.inHand !== undefined);
