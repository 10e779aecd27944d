/**
 * One place that things come from, in an order of their own: a thread's timers, or the batches of one direction of a
 * line. Between sources there is no order.
 */
import type { Loop } from './loop.js';

export interface Happening {
  /** When it is due. */
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

export class Source {
  readonly id: number;
  readonly name: string;
  /** The thread that what comes from here happens on. */
  readonly thread: number;
  readonly #loop: Loop;
  readonly #nextOrder: () => number;
  /** By time, then in the order in which they came. */
  readonly #queue: Happening[] = [];
  #frozen = false;

  constructor(id: number, name: string, thread: number, loop: Loop, nextOrder: () => number) {
    this.id = id;
    this.name = name;
    this.thread = thread;
    this.#loop = loop;
    this.#nextOrder = nextOrder;
  }

  get size(): number {
    return this.#queue.length;
  }

  /** When its next thing is due; infinity: it has none, or nothing of it happens any more. */
  get nextAt(): number {
    if (this.#frozen) return Number.POSITIVE_INFINITY;
    return this.#queue[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  get nextOrder(): number {
    return this.#queue[0]?.order ?? Number.POSITIVE_INFINITY;
  }

  /** After `ms`, and before what is already to come later than that. */
  at(ms: number, act: () => void): Happening {
    const happening = { at: this.#loop.now + ms, order: this.#nextOrder(), act };
    let i = this.#queue.length;
    while (i > 0 && (this.#queue[i - 1] as Happening).at > happening.at) i--;
    this.#queue.splice(i, 0, happening);
    return happening;
  }

  /** After `ms`, and behind everything that is already to come. */
  behind(ms: number, act: () => void): void {
    const last = this.#queue.at(-1)?.at ?? 0;
    this.#queue.push({ at: Math.max(last, this.#loop.now + ms), order: this.#nextOrder(), act });
  }

  drop(happening: Happening): void {
    const i = this.#queue.indexOf(happening);
    if (i >= 0) this.#queue.splice(i, 1);
  }

  /** What is to come from here stays, and never happens. */
  freeze(): void {
    this.#frozen = true;
  }

  takeNext(): () => void {
    return (this.#queue.shift() as Happening).act;
  }

  /** Nothing comes from here any more. Answers what would have. */
  close(): (() => void)[] {
    this.#loop.remove(this);
    return this.#queue.splice(0).map(({ act }) => act);
  }
}
