/**
 * Questions to minds whether they still hold what they are taken to hold. A turn's end comes to its caller and its unpin to
 * the residency from two threads, in any order; what a mind has let go of before it answers has come before its answer.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { ResidencyToMind } from './protocol.js';

/** A mind answers at once; one whose thread is held up is taken to hold what it held. */
const CONFIRM_MS = 1_000;

/** To itself. */
export interface Unconfirmed {
  readonly type: 'unconfirmed';
  readonly question: number;
}

interface Question {
  readonly open: Set<ActorId>;
  readonly settle: () => void;
}

export class Confirmations {
  readonly #ctx: Context;
  readonly #questions = new Map<number, Question>();
  #last = 0;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Settles when each of them has answered or ended, or is late. */
  async ask(minds: readonly ActorId[]): Promise<void> {
    if (minds.length === 0) return;
    const question = ++this.#last;
    const takeBack = this.#ctx.after(CONFIRM_MS, { type: 'unconfirmed', question } satisfies Unconfirmed);
    await new Promise<void>((settle) => {
      this.#questions.set(question, { open: new Set(minds), settle });
      const message: ResidencyToMind = { type: 'confirm', question };
      for (const mind of minds) this.#ctx.tell(mind, message, { band: Band.reserved });
    });
    takeBack();
  }

  answered(mind: ActorId, question: number): void {
    const { open } = this.#questions.get(question) ?? {};
    open?.delete(mind);
    if (open?.size === 0) this.settle(question);
  }

  ended(mind: ActorId): void {
    for (const question of [...this.#questions.keys()]) this.answered(mind, question);
  }

  settle(question: number): void {
    this.#questions.get(question)?.settle();
    this.#questions.delete(question);
  }
}
