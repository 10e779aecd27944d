/**
 * A turn as its caller holds it: an async iterable of pieces and a result that always resolves.
 */
import type { Outcome, Receipt } from './actors/mind/protocol.js';
import type { TroupeError } from './errors.js';

export interface Piece {
  readonly text: string;
}

export interface TurnResult {
  /** The reply, or as much of it as there is. */
  readonly text: string;
  readonly outcome: Outcome;
  readonly receipt: Receipt;
  /** Why it failed; undefined for any other outcome. */
  readonly error: TroupeError | undefined;
}

export class Turn implements AsyncIterable<Piece> {
  /** Resolves when the turn has ended, in whatever way; never rejects. */
  readonly result: Promise<TurnResult>;

  readonly #cancel: () => void;
  readonly #settle: (result: TurnResult) => void;
  #text = '';
  #grewAt: number | undefined;
  #ended: TurnResult | undefined;
  #wake: (() => void)[] = [];

  /** For `Mind`; a caller gets turns from `mind.turn()`. */
  constructor(cancel: () => void) {
    this.#cancel = cancel;
    let settle: (result: TurnResult) => void = () => {};
    this.result = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
  }

  /** Ends the turn between two steps; its outcome is `aborted` unless it has ended already. */
  cancel(): void {
    if (this.#ended === undefined) this.#cancel();
  }

  /**
   * The reply as it comes; what was not read meanwhile is one piece. Breaking out cancels the turn. Throws the error of
   * a failed turn; a turn that was cancelled just ends.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Piece, void, undefined> {
    let read = 0;
    let finished = false;
    try {
      for (;;) {
        if (this.#text.length > read) {
          const text = this.#text.slice(read);
          read = this.#text.length;
          yield { text };
        } else if (this.#ended !== undefined) {
          finished = true;
          if (this.#ended.error !== undefined) throw this.#ended.error;
          return;
        } else await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    } finally {
      if (!finished) this.cancel();
    }
  }

  /** The reply so far. */
  get text(): string {
    return this.#text;
  }

  /** When its first text came (`performance.now()`). */
  get grewAt(): number | undefined {
    return this.#grewAt;
  }

  // What follows is for `Mind`.

  /**
   * More text has come.
   * @internal
   */
  grow(text: string): void {
    if (text !== '') this.#grewAt ??= performance.now();
    this.#text += text;
    this.#rouse();
  }

  /** @internal */
  end(result: Omit<TurnResult, 'text'>): void {
    if (this.#ended !== undefined) return;
    this.#ended = { text: this.#text, ...result };
    this.#settle(this.#ended);
    this.#rouse();
  }

  #rouse(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
