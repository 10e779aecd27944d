/**
 * Threads: mailboxes within their bounds, counters that only go up, and nothing left waiting when all is quiet.
 */
import { Board, Field, Header } from '../../runtime/board.js';
import type { Cell } from '../../runtime/cell.js';
import { MAILBOX_BOUND } from '../../runtime/defaults.js';
import { Band } from '../../runtime/message.js';
import { isUnderWay, PHASE_NAMES } from '../../runtime/phases.js';
import type { Thread } from '../../runtime/thread.js';
import type { Violations } from './violations.js';

const BOUND = MAILBOX_BOUND.user;

const COUNTERS = [
  ...[0, 1, 2].map((band) => Field.queued + band),
  ...[0, 1, 2].map((band) => Field.taken + band),
  Field.restarts,
  ...Array.from({ length: 10 }, (_, bucket) => Field.times + bucket),
];

export class ThreadChecks {
  readonly #violations: Violations;
  readonly #seen = new WeakMap<Cell, Int32Array>();
  readonly #deadLetters = new WeakMap<Thread, number>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  step(thread: Thread): void {
    for (const cell of thread.cells()) {
      const depth = cell.depth(Band.user);
      if (depth > BOUND) {
        this.#violations.add('mailboxes keep their bounds', `${cell.name} has ${depth} user messages`);
      }
      this.#count(cell, thread.board.words);
    }
    const deadLetters = thread.board.header[Header.deadLetters] as number;
    if (deadLetters < (this.#deadLetters.get(thread) ?? 0)) {
      this.#violations.add('counters only go up', `dead letters of ${thread.name}: ${deadLetters}`);
    }
    this.#deadLetters.set(thread, deadLetters);
  }

  quiet(thread: Thread): void {
    const waits = [
      [thread.asks.size, 'asks'],
      [thread.ending.size, 'ends'],
    ] as const;
    for (const [count, what] of waits) if (count > 0) this.#left(`${count} ${what} on ${thread.name}`);
    for (const cell of thread.cells()) {
      const { held, name } = cell;
      if (isUnderWay(cell.phase)) this.#left(`${name} is ${PHASE_NAMES[cell.phase]}`);
      else if (cell.inHand !== undefined) this.#left(`${name} has ${cell.inHand.message.type} in hand`);
      const queued = cell.depth(Band.system) + cell.depth(Band.control) + cell.depth(Band.user);
      if (queued > 0) this.#left(`${name} has ${queued} messages queued`);
      if (held !== undefined && held.owed.size > 0) this.#left(`${name} owes ${held.owed.size} answers`);
      for (const { reason } of held?.waits ?? []) this.#left(`${name} waits: ${reason}`);
    }
  }

  #count(cell: Cell, words: Int32Array): void {
    const at = Board.at(cell.slot);
    const seen = this.#seen.get(cell) ?? new Int32Array(COUNTERS.length);
    for (let i = 0; i < COUNTERS.length; i++) {
      const count = words[at + (COUNTERS[i] as number)] as number;
      if (count < (seen[i] as number)) {
        const what = `field ${COUNTERS[i]} of ${cell.name} went from ${seen[i]} to ${count}`;
        this.#violations.add('counters only go up', what);
      }
      seen[i] = count;
    }
    this.#seen.set(cell, seen);
  }

  #left(what: string): void {
    this.#violations.add('nothing is left waiting', what);
  }
}
