/**
 * Finds the deadlocks that this thread sees whole, at once, and ends the newest wait of each; what leads to other
 * threads is left to `chases.ts`. A ring is closed by an ask that comes to lie at an actor which itself waits, and is
 * looked for then.
 */
import { type ActorId, slotOf } from './address.js';
import type { Cell } from './cell.js';
import { Chases } from './chases.js';
import { type Edge, fromNewest, type Path, walk } from './edges.js';
import { Deadlock } from './errors.js';
import type { Thread } from './thread.js';
import { WaitGraph } from './wait-graph.js';
import type { Handler, Wait } from './waits.js';

export class Deadlocks {
  readonly #thread: Thread;
  readonly #graph: WaitGraph;
  readonly chases: Chases;

  constructor(thread: Thread, life: number) {
    this.#thread = thread;
    this.#graph = new WaitGraph(thread);
    this.chases = new Chases(thread, this.#graph, this, life);
  }

  /** A handler has begun to await: what it has asked so far counts from now on. */
  awaits(cell: Cell, handler: Handler): void {
    const waits = cell.held?.waits;
    if (waits === undefined) return;
    for (const wait of [...waits.of(handler)]) this.asked(cell, wait);
  }

  /** A start has begun to await, until `started`. */
  starts(cell: Cell, handler: Handler): void {
    this.#graph.starts.add(cell);
    this.awaits(cell, handler);
  }

  started(cell: Cell): void {
    this.#graph.starts.delete(cell);
  }

  /** An actor has asked. Asks to other threads are looked at where they arrive. */
  asked(cell: Cell, { open, handler, on }: Wait): void {
    const graph = this.#graph;
    if (!open || handler === undefined || !graph.isHere(on)) return;
    const asked = this.#thread.cell(on);
    if (asked === undefined || !graph.isWaiting(asked) || graph.awaiting(cell) !== handler) return;
    if (this.settle(on).length > 0) this.chases.later(on);
  }

  /** An ask from another thread has arrived. */
  arrived(to: ActorId): void {
    const asked = this.#thread.cell(to);
    if (asked !== undefined && this.#graph.isWaiting(asked)) this.chases.later(to);
  }

  /** Ends every ring through an actor that this thread sees whole. Answers the ways that lead to other threads. */
  settle(actor: ActorId): readonly Path[] {
    const { out, isHere } = this.#graph;
    // One ask may close more rings than one; each time a wait fewer is there.
    for (;;) {
      const { found, exits } = walk(actor, actor, out, isHere);
      if (found === undefined) return exits;
      this.end(fromNewest(found));
    }
  }

  /** Ends the first wait of a ring, which is one of this thread's. */
  end(ring: Path): void {
    const thread = this.#thread;
    const [newest] = ring as [Edge];
    if (!this.#graph.has(newest)) return;
    const cycle = ring.map(({ from, messageType: message }) => ({ actor: thread.nameOf(from), message }));
    const error = new Deadlock({ cycle });
    // Seen whether the handler catches it or not.
    thread.board.noteError(slotOf(newest.from), error.message);
    thread.asks.fail(newest.ask, error);
    thread.probes.emit({ name: 'deadlock', cycle });
  }
}
