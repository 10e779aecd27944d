/**
 * What an actor waits for: its asks, and the waits that its state machine declares. The oldest one shows on the board.
 */
import { type ActorId, generationOf } from './address.js';
import { Board, Field } from './board.js';
import type { TroupeError } from './errors.js';

const LOW = 2 ** 32;

export class Wait {
  /** Neighbours in the list, older and younger. */
  older: Wait | undefined = undefined;
  younger: Wait | undefined = undefined;
  open = true;
  /** The ask behind it, if it is one: it fails when the actor crashes or ends. */
  ask: { abandon(error: TroupeError): void } | undefined = undefined;

  constructor(
    readonly list: Waits,
    readonly reason: string,
    readonly since: number,
    readonly deadline: number,
    readonly on: ActorId,
  ) {}

  end(): void {
    this.list.remove(this);
  }
}

export class Waits {
  readonly #board: Board;
  readonly #at: number;
  #oldest: Wait | undefined;
  #youngest: Wait | undefined;

  constructor(board: Board, slot: number) {
    this.#board = board;
    this.#at = Board.at(slot);
  }

  add(reason: string, since: number, deadlineMs: number, on: ActorId): Wait {
    const wait = new Wait(this, reason, since, since + deadlineMs, on);
    wait.older = this.#youngest;
    if (this.#youngest !== undefined) this.#youngest.younger = wait;
    this.#youngest = wait;
    if (this.#oldest === undefined) {
      this.#oldest = wait;
      this.#show();
    }
    return wait;
  }

  remove(wait: Wait): void {
    if (!wait.open) return;
    wait.open = false;
    if (wait.older !== undefined) wait.older.younger = wait.younger;
    if (wait.younger !== undefined) wait.younger.older = wait.older;
    if (this.#youngest === wait) this.#youngest = wait.older;
    if (this.#oldest !== wait) return;
    this.#oldest = wait.younger;
    this.#show();
  }

  clear(): void {
    for (const wait of this) wait.open = false;
    this.#youngest = undefined;
    if (this.#oldest === undefined) return;
    this.#oldest = undefined;
    this.#show();
  }

  /** Oldest first. */
  *[Symbol.iterator](): IterableIterator<Wait> {
    for (let wait = this.#oldest; wait !== undefined; wait = wait.younger) yield wait;
  }

  #show(): void {
    const { words, names } = this.#board;
    const at = this.#at;
    const wait = this.#oldest;
    words[at + Field.waitReason] = wait === undefined ? 0 : names.number(wait.reason);
    if (wait === undefined) return;
    words[at + Field.waitSince] = wait.since;
    words[at + Field.waitDeadline] = wait.deadline;
    words[at + Field.waitFor] = wait.on % LOW;
    words[at + Field.waitGeneration] = generationOf(wait.on);
  }
}
