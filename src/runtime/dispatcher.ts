/**
 * Gives the actors of one thread their turns: a run queue, worked off in slices with a message and a time budget. Idle
 * work (the engine's steps) runs when the queue is empty.
 *
 * A slice begins as soon as what runs now has ended, without waiting for the loop to turn, as long as the slices since
 * the last turn of the loop have not used up the time budget; then the loop turns first, so that timers and ports are
 * never starved.
 */
import type { Cell } from './cell.js';
import type { Clock } from './clock.js';
import {
  BURST_MESSAGES,
  CLOCK_EVERY,
  SLICE_MESSAGES,
  SLICE_MS,
  SLICES_A_TURN,
  WORK_AFTER_SLICES,
} from './defaults.js';
import { Ring } from './ring.js';

export interface SliceEvents {
  /** A slice begins, or has looked at the clock. */
  at(now: number): void;
  /** Handlers, or steps, have ended: what they sent can go. */
  ended(): void;
}

/** Looks at the clock this often at first, and again after a handler that was slow. */
const LOOK_SOON = 1;
/** A stretch between two looks that is over sooner allows a longer one. */
const QUICK_MS = 0.1;

export class Dispatcher {
  readonly #clock: Clock;
  readonly #events: SliceEvents;
  readonly #queue = new Ring<Cell>();
  readonly #work = new Set<() => boolean>();
  #scheduled = false;
  /** Slices since the loop last turned, and their milliseconds. */
  #slices = 0;
  #spentMs = 0;
  /** Messages until the next look at the clock. */
  #stride = LOOK_SOON;
  #slicesWithoutWork = 0;
  inSlice = false;

  constructor(clock: Clock, events: SliceEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  ready(cell: Cell): void {
    cell.queued = true;
    this.#queue.push(cell);
    this.#schedule();
  }

  /** Calls `step` when no actor is ready, once between two turns of the loop, until it answers false. */
  work(step: () => boolean): void {
    this.#work.add(step);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.inSlice) return;
    this.#scheduled = true;
    if (this.#spentMs < SLICE_MS && this.#slices < SLICES_A_TURN) queueMicrotask(this.#slice);
    else this.#clock.soon(this.#turn);
  }

  readonly #turn = (): void => {
    this.#spentMs = 0;
    this.#slices = 0;
    this.#slice();
  };

  readonly #slice = (): void => {
    this.#scheduled = false;
    this.#slices++;
    this.inSlice = true;
    const begun = this.#clock.now();
    this.#events.at(begun);
    try {
      this.#runQueue(begun);
      if (this.#work.size > 0) {
        // A step is long: what the handlers have sent does not wait for it.
        this.#events.ended();
        this.#runWork();
      }
    } finally {
      this.inSlice = false;
      this.#spentMs += this.#clock.now() - begun;
      this.#events.ended();
      if (this.#queue.length > 0 || this.#work.size > 0) this.#schedule();
    }
  };

  #runQueue(begun: number): void {
    let left = SLICE_MESSAGES;
    let unseen = 0;
    let seenAt = begun;
    while (left > 0) {
      const cell = this.#queue.shift();
      if (cell === undefined) return;
      cell.queued = false;
      const handled = cell.run(Math.min(left, BURST_MESSAGES));
      if (!cell.queued && cell.isReady) {
        cell.queued = true;
        this.#queue.push(cell);
      }
      left -= handled;
      unseen += handled;
      if (unseen < this.#stride) continue;
      const now = this.#clock.now();
      this.#events.at(now);
      this.#stride = now - seenAt < QUICK_MS ? Math.min(2 * this.#stride, CLOCK_EVERY) : LOOK_SOON;
      if (now - begun > SLICE_MS) return;
      seenAt = now;
      unseen = 0;
    }
  }

  /** Steps are long: after one the loop turns, whatever time is left. */
  #runWork(): void {
    if (this.#queue.length > 0 && ++this.#slicesWithoutWork < WORK_AFTER_SLICES) return;
    this.#slicesWithoutWork = 0;
    this.#spentMs = Number.POSITIVE_INFINITY;
    for (const step of [...this.#work]) {
      // Taken out first: a step that wakes its work again and answers false means both.
      this.#work.delete(step);
      if (step()) this.#work.add(step);
    }
  }
}
