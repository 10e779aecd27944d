/**
 * Questions to the broker whether grants that are taken to hold a gene still do. A turn's end comes to its caller and to the
 * broker from two threads, in any order; what a mind knows to be over has been said before the answer.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { ResidencyToBroker } from './protocol.js';

/** Minds answer at once; one whose thread is held up is taken to run what it ran. */
const CONFIRM_MS = 1_000;

/** To itself. */
export interface Unconfirmed {
  readonly type: 'unconfirmed';
  readonly question: number;
}

export class Confirmations {
  readonly #ctx: Context;
  readonly #broker: ActorId;
  readonly #open = new Map<number, () => void>();
  #last = 0;

  constructor(ctx: Context, broker: ActorId) {
    this.#ctx = ctx;
    this.#broker = broker;
  }

  /** Settles when all who hold the gene have been asked, or are late. */
  async ask(gene: number): Promise<void> {
    const question = ++this.#last;
    const takeBack = this.#ctx.after(CONFIRM_MS, { type: 'unconfirmed', question } satisfies Unconfirmed);
    await new Promise<void>((settle) => {
      this.#open.set(question, settle);
      const message: ResidencyToBroker = { type: 'confirm', question, gene };
      this.#ctx.tell(this.#broker, message, { band: Band.reserved });
    });
    takeBack();
  }

  settle(question: number): void {
    this.#open.get(question)?.();
    this.#open.delete(question);
  }
}
