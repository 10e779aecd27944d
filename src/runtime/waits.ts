/**
 * What an actor waits for: its asks, and the waits that its state machine declares. On the board shows
 * the oldest that another actor can end, else the oldest: what an actor waits for of itself waits for others too.
 */
import { type ActorId, generationOf, slotOf } from './address.js';
import type { Pending } from './asks.js';
import { Board, Field } from './board.js';
import type { CellContext } from './context.js';
import type { Envelope } from './message.js';

const LOW = 2 ** 32;

/** What an actor has in hand: a user message, or, while it starts, the start. */
export type Handler = Envelope | CellContext;

export class Wait {
  /** Neighbours in the list, older and younger. */
  older: Wait | undefined = undefined;
  younger: Wait | undefined = undefined;
  open = true;
  /** The ask behind it, if it is one: it fails when the actor crashes or ends. */
  ask: Pending | undefined = undefined;
  /** What was asked, if that is an actor of this thread. */
  message: Envelope | undefined = undefined;

  constructor(
    readonly list: Waits,
    readonly reason: string,
    readonly since: number,
    readonly deadline: number,
    readonly on: ActorId,
    /** What made it; undefined: something that no message waits for. */
    readonly handler: Handler | undefined,
  ) {}

  end(): void {
    this.list.remove(this);
  }
}

export class Waits {
  readonly #board: Board;
  readonly #self: ActorId;
  readonly #at: number;
  #oldest: Wait | undefined;
  #youngest: Wait | undefined;
  /** The one on the board. */
  #shown: Wait | undefined;
  /** Waits that another actor can end. */
  #others = 0;

  constructor(board: Board, self: ActorId) {
    this.#board = board;
    this.#self = self;
    this.#at = Board.at(slotOf(self));
  }

  add(reason: string, since: number, deadlineMs: number, on: ActorId, handler: Handler | undefined): Wait {
    const wait = new Wait(this, reason, since, since + deadlineMs, on, handler);
    wait.older = this.#youngest;
    if (this.#youngest !== undefined) this.#youngest.younger = wait;
    else this.#oldest = wait;
    this.#youngest = wait;
    const isFirstOther = on !== this.#self && this.#others++ === 0;
    if (isFirstOther || this.#shown === undefined) this.#show(wait);
    return wait;
  }

  remove(wait: Wait): void {
    if (!wait.open) return;
    wait.open = false;
    if (wait.older !== undefined) wait.older.younger = wait.younger;
    else this.#oldest = wait.younger;
    if (wait.younger !== undefined) wait.younger.older = wait.older;
    else this.#youngest = wait.older;
    if (wait.on !== this.#self) this.#others--;
    if (this.#shown === wait) this.#show(this.#others === 0 ? this.#oldest : this.#nextOther(wait));
  }

  clear(): void {
    for (const wait of this) wait.open = false;
    this.#oldest = undefined;
    this.#youngest = undefined;
    this.#others = 0;
    if (this.#shown !== undefined) this.#show(undefined);
  }

  get isEmpty(): boolean {
    return this.#oldest === undefined;
  }

  /** Oldest first. */
  *[Symbol.iterator](): IterableIterator<Wait> {
    for (let wait = this.#oldest; wait !== undefined; wait = wait.younger) yield wait;
  }

  /** Those that one handler has made, the youngest first. */
  *of(handler: Handler): IterableIterator<Wait> {
    for (let wait = this.#youngest; wait !== undefined; wait = wait.older) {
      if (wait.handler === handler) yield wait;
      // One user message at a time: what was made before this one was in hand is older.
      else if (wait.handler !== undefined) return;
    }
  }

  #nextOther({ younger }: Wait): Wait | undefined {
    let wait = younger;
    while (wait?.on === this.#self) wait = wait.younger;
    return wait;
  }

  #show(wait: Wait | undefined): void {
    this.#shown = wait;
    const { words, names } = this.#board;
    const at = this.#at;
    words[at + Field.waitReason] = wait === undefined ? 0 : names.number(wait.reason);
    if (wait === undefined) return;
    words[at + Field.waitSince] = wait.since;
    words[at + Field.waitDeadline] = wait.deadline;
    words[at + Field.waitFor] = wait.on % LOW;
    words[at + Field.waitGeneration] = generationOf(wait.on);
  }
}
