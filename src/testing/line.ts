/**
 * A line between two threads of a test: batches are cloned as a port would, and arrive one by one, in order, each when the
 * loop comes to it.
 */
import type { Batch, WirePort } from '../runtime/wire.js';
import { copy } from './copy.js';
import type { Loop } from './loop.js';
import type { Source } from './source.js';

/** Sees every batch of every line; `to` is the end that it goes to. */
export interface LineTap {
  posted?(to: TestLineEnd, batch: Batch): void;
  arrived?(to: TestLineEnd, batch: Batch): void;
}

export interface LineConditions {
  /** How long a batch is on its way, ms. */
  readonly delayMs: () => number;
  readonly tap: LineTap;
}

export class TestLineEnd implements WirePort {
  readonly #loop: Loop;
  readonly #conditions: LineConditions;
  #peer: TestLineEnd | undefined;
  #source: Source | undefined;
  #receive: ((batch: Batch) => void) | undefined;
  /** What came before this end was opened. */
  #early: Batch[] = [];
  #closed = false;
  /** The thread that opened it; -1 before. */
  thread = -1;

  private constructor(loop: Loop, conditions: LineConditions) {
    this.#loop = loop;
    this.#conditions = conditions;
  }

  static pair(loop: Loop, conditions: LineConditions): readonly [TestLineEnd, TestLineEnd] {
    const one = new TestLineEnd(loop, conditions);
    const other = new TestLineEnd(loop, conditions);
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  get closed(): boolean {
    return this.#closed;
  }

  get peer(): TestLineEnd {
    return this.#peer as TestLineEnd;
  }

  open(thread: number, receive: (batch: Batch) => void): WirePort {
    this.thread = thread;
    this.#receive = receive;
    this.#source = this.#loop.source(`a line to thread ${thread}`, thread);
    for (const batch of this.#early) this.#arrive(batch);
    this.#early = [];
    return this;
  }

  post(batch: Batch, transfer: readonly ArrayBuffer[]): void {
    const copied = transfer.length > 0 ? structuredClone(batch, { transfer: [...transfer] }) : copy(batch);
    if (this.#closed) return;
    this.#conditions.tap.posted?.(this.peer, copied);
    this.peer.#arrive(copied);
  }

  /** Takes what has arrived, then ends. */
  close(): void {
    if (this.#closed) return;
    for (const take of this.#source?.close() ?? []) take();
    this.#closed = true;
  }

  /** Its thread is stuck: what arrives stays where it is. */
  freeze(): void {
    this.#source?.freeze();
  }

  /** Its thread is gone: nobody takes what arrives. */
  drop(): void {
    this.#closed = true;
    this.#source?.close();
  }

  #arrive(batch: Batch): void {
    if (this.#closed) return;
    if (this.#source === undefined) {
      this.#early.push(batch);
      return;
    }
    this.#source.behind(this.#conditions.delayMs(), () => {
      this.#conditions.tap.arrived?.(this, batch);
      this.#receive?.(batch);
    });
  }
}
