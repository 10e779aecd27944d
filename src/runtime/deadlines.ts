/**
 * All timed things of one thread on one timer: a heap by time with lazy removal.
 *
 * Asks set and drop deadlines at a high rate and with nearly equal lengths, so adding is cheap when the new one is the
 * latest, and dropping only marks; marked entries are swept out when they outnumber the live ones.
 */
import type { Clock } from './clock.js';

/** Something that happens at a time, once, unless it is dropped before. */
export abstract class Deadline {
  at = 0;
  /** Of two at the same time the one added first fires first. */
  order = 0;
  live = false;
  abstract fire(): void;
  /** Dropped: it may lie on the heap for a while, and should keep nothing alive there. */
  forget(): void {}
}

const NOTHING = (): void => {};

class Call extends Deadline {
  fire: () => void;

  constructor(fire: () => void) {
    super();
    this.fire = fire;
  }

  override forget(): void {
    this.fire = NOTHING;
  }
}

const SWEEP_AT = 1024;

const earlier = (a: Deadline, b: Deadline): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

export class Deadlines {
  readonly #clock: Clock;
  #heap: Deadline[] = [];
  #dropped = 0;
  #added = 0;
  #armedAt = Number.POSITIVE_INFINITY;
  #disarm: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Live deadlines. */
  get size(): number {
    return this.#heap.length - this.#dropped;
  }

  /** Entries kept, those dropped and not yet swept out included. */
  get kept(): number {
    return this.#heap.length;
  }

  /** `now`: the time to count from, for callers that know it. */
  add(entry: Deadline, afterMs: number, now = this.#clock.now()): void {
    entry.at = now + Math.max(0, afterMs);
    entry.order = this.#added++;
    entry.live = true;
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
    if (entry.at < this.#armedAt) this.#arm(entry.at);
  }

  /** Calls `fire` once after `ms`. */
  call(afterMs: number, fire: () => void): Deadline {
    const entry = new Call(fire);
    this.add(entry, afterMs);
    return entry;
  }

  drop(entry: Deadline): void {
    if (!entry.live) return;
    entry.live = false;
    entry.forget();
    this.#dropped++;
    if (this.#dropped > SWEEP_AT && this.#dropped > this.#heap.length / 2) this.#sweep();
  }

  clear(): void {
    for (const entry of this.#heap) entry.live = false;
    this.#heap = [];
    this.#dropped = 0;
    this.#disarm?.();
    this.#disarm = undefined;
    this.#armedAt = Number.POSITIVE_INFINITY;
  }

  #arm(at: number): void {
    this.#disarm?.();
    this.#armedAt = at;
    this.#disarm = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#run());
  }

  #run(): void {
    this.#armedAt = Number.POSITIVE_INFINITY;
    this.#disarm = undefined;
    try {
      this.#fireUntil(this.#clock.now());
    } finally {
      const next = this.#heap[0];
      if (next !== undefined && next.at < this.#armedAt) this.#arm(next.at);
    }
  }

  #fireUntil(now: number): void {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || (first.live && first.at > now)) return;
      this.#pop();
      if (first.live) {
        first.live = false;
        first.fire();
      } else this.#dropped--;
    }
  }

  #sweep(): void {
    const live = this.#heap.filter((entry) => entry.live);
    live.sort((a, b) => a.at - b.at || a.order - b.order);
    this.#heap = live;
    this.#dropped = 0;
  }

  #pop(): void {
    const last = this.#heap.pop() as Deadline;
    if (this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#down(0);
  }

  #up(from: number): void {
    const heap = this.#heap;
    const entry = heap[from] as Deadline;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!earlier(entry, heap[parent] as Deadline)) break;
      heap[at] = heap[parent] as Deadline;
      at = parent;
    }
    heap[at] = entry;
  }

  #down(from: number): void {
    const heap = this.#heap;
    const entry = heap[from] as Deadline;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && earlier(heap[child + 1] as Deadline, heap[child] as Deadline)) child++;
      if (!earlier(heap[child] as Deadline, entry)) break;
      heap[at] = heap[child] as Deadline;
      at = child;
    }
    heap[at] = entry;
  }
}
