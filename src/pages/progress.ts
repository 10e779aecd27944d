/**
 * How far a job came, and the wish that it ends, in shared memory: whoever waits looks at it at any time, and the job's
 * thread, which is busy with one blocking call after the other, looks between two of them.
 */

const BYTES = 0;
const STOP = 1;

export class Progress {
  /** Fit to be sent to another thread. */
  readonly memory: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(16)) {
    this.memory = memory;
    this.#cells = new BigInt64Array(memory);
  }

  /** Bytes of sections that were moved. */
  get bytes(): number {
    return Number(Atomics.load(this.#cells, BYTES));
  }

  add(bytes: number): void {
    Atomics.add(this.#cells, BYTES, BigInt(bytes));
  }

  get stopped(): boolean {
    return Atomics.load(this.#cells, STOP) !== 0n;
  }

  /** The job ends with `Aborted` at its next look, unless it is done by then. */
  stop(): void {
    Atomics.store(this.#cells, STOP, 1n);
  }
}
