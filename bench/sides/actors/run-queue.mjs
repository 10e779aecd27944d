/**
 * The least that could carry messages within a thread: a ring of closures, worked off in order. No bounds, no counters, no
 * turns of the loop, nobody who could look in: what an actor costs is measured against it.
 */
const SIZE = 1 << 12;

export class RunQueue {
  #ring = new Array(SIZE).fill(undefined);
  #head = 0;
  #tail = 0;

  push(task) {
    this.#ring[this.#tail++ & (SIZE - 1)] = task;
  }

  /** Until nothing is left. */
  run() {
    while (this.#head !== this.#tail) {
      const at = this.#head++ & (SIZE - 1);
      const task = this.#ring[at];
      this.#ring[at] = undefined;
      task();
    }
    this.#head = 0;
    this.#tail = 0;
  }
}
