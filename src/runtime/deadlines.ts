/**
 * All timed things of one thread on one timer: a heap by time with lazy removal.
 *
 * Asks set and drop deadlines at a high rate and with nearly equal lengths, so adding is cheap when the new one is the
 * latest, and dropping only marks; marked entries are swept out when they outnumber the live ones.
 */
import type { Clock } from './clock.js';

export interface Deadline {
  readonly at: number;
  fire: (() => void) | undefined;
}

const SWEEP_AT = 1024;

export class Deadlines {
  readonly #clock: Clock;
  #heap: Deadline[] = [];
  #dropped = 0;
  #armedAt = Number.POSITIVE_INFINITY;
  #disarm: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Live deadlines. */
  get size(): number {
    return this.#heap.length - this.#dropped;
  }

  add(afterMs: number, fire: () => void): Deadline {
    const entry: Deadline = { at: this.#clock.now() + Math.max(0, afterMs), fire };
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
    if (entry.at < this.#armedAt) this.#arm(entry.at);
    return entry;
  }

  drop(entry: Deadline): void {
    if (entry.fire === undefined) return;
    entry.fire = undefined;
    this.#dropped++;
    if (this.#dropped > SWEEP_AT && this.#dropped > this.#heap.length / 2) this.#sweep();
  }

  clear(): void {
    this.#heap = [];
    this.#dropped = 0;
    this.#disarm?.();
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
    const now = this.#clock.now();
    while (this.#heap.length > 0) {
      const first = this.#heap[0] as Deadline;
      if (first.fire !== undefined && first.at > now) break;
      this.#pop();
      if (first.fire === undefined) {
        this.#dropped--;
        continue;
      }
      const fire = first.fire;
      first.fire = undefined;
      fire();
    }
    const next = this.#heap[0];
    if (next !== undefined && next.at < this.#armedAt) this.#arm(next.at);
  }

  #sweep(): void {
    const live = this.#heap.filter((entry) => entry.fire !== undefined);
    live.sort((a, b) => a.at - b.at);
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
      if ((heap[parent] as Deadline).at <= entry.at) break;
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
      if (child + 1 < heap.length && (heap[child + 1] as Deadline).at < (heap[child] as Deadline).at) child++;
      if ((heap[child] as Deadline).at >= entry.at) break;
      heap[at] = heap[child] as Deadline;
      at = child;
    }
    heap[at] = entry;
  }
}
