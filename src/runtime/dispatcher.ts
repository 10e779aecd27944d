/**
 * Gives the actors of one thread their turns: a run queue, worked off in slices with a message and a time budget, so
 * that timers and ports are never starved. Idle work (the engine's steps) runs when the queue is empty.
 */
import type { Cell } from './cell.js';
import type { Clock } from './clock.js';
import { BURST_MESSAGES, SLICE_MESSAGES, SLICE_MS } from './defaults.js';
import { Ring } from './ring.js';

export class Dispatcher {
  readonly #clock: Clock;
  readonly #around: { before(): void; after(): void };
  readonly #queue = new Ring<Cell>();
  readonly #work = new Set<() => boolean>();
  #scheduled = false;
  /** True while a slice runs: what is sent meanwhile is flushed at its end. */
  inSlice = false;

  constructor(clock: Clock, around: { before(): void; after(): void }) {
    this.#clock = clock;
    this.#around = around;
  }

  ready(cell: Cell): void {
    cell.queued = true;
    this.#queue.push(cell);
    this.#schedule();
  }

  /** Calls `step` when no actor is ready, a call a slice, until it answers false. */
  work(step: () => boolean): void {
    this.#work.add(step);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.inSlice) return;
    this.#scheduled = true;
    this.#clock.soon(() => this.#slice());
  }

  #slice(): void {
    this.#scheduled = false;
    this.inSlice = true;
    this.#around.before();
    const begun = this.#clock.now();
    let left = SLICE_MESSAGES;
    while (left > 0) {
      const cell = this.#queue.shift();
      if (cell === undefined) break;
      cell.queued = false;
      left -= cell.run(Math.min(left, BURST_MESSAGES));
      if (!cell.queued && cell.hasWork) {
        cell.queued = true;
        this.#queue.push(cell);
      }
      if (this.#clock.now() - begun > SLICE_MS) break;
    }
    if (this.#queue.length === 0) {
      for (const step of this.#work) if (!step()) this.#work.delete(step);
    }
    this.#around.after();
    this.inSlice = false;
    if (this.#queue.length > 0 || this.#work.size > 0) this.#schedule();
  }
}
