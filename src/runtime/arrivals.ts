/**
 * What comes over the lines, entry by entry: messages to mailboxes, answers to asks, and what threads tell each other.
 */
import type { ActorId } from './address.js';
import type { Chase } from './chases.js';
import { type ErrorEnvelope, fromEnvelope, plainEnvelope, toEnvelope, Unsendable } from './errors.js';
import { type Band, Envelope, type Message, typeLeft } from './message.js';
import type { Thread } from './thread.js';
import { type Entry, isMessage, Wire } from './wire.js';

export class Arrivals {
  readonly #thread: Thread;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** Credit is the link's own business and does not come here. */
  arrive(kind: Wire, to: ActorId, from: ActorId, ask: number, payload: unknown): void {
    const { asks, router, watches, deadlocks } = this.#thread;
    switch (kind) {
      case Wire.answer:
        asks.resolve(ask, payload);
        return;
      case Wire.failure:
        asks.fail(ask, fromEnvelope(payload as ErrorEnvelope));
        return;
      case Wire.watch:
        watches.addWatcher(to, from);
        return;
      case Wire.unwatch:
        watches.removeWatcher(to, from);
        return;
      case Wire.full:
        router.full.add(from);
        return;
      case Wire.room:
        router.full.delete(from);
        return;
      case Wire.credit:
        return;
      case Wire.chase:
        deadlocks.chases.heard(payload as Chase);
        return;
      default:
        this.#message(kind, to, from, ask, payload as Message);
        if (ask !== 0) deadlocks.arrived(to);
    }
  }

  #message(band: Band, to: ActorId, from: ActorId, ask: number, message: Message): void {
    const { router, stamp } = this.#thread;
    router.deliver(to, new Envelope(from, band, ask, typeLeft(message), message, stamp));
  }

  /** A message, or an answer, that cannot be cloned: whoever waits for it hears of it. */
  onUncloneable({ kind, to, from, ask, payload }: Entry, error: unknown): void {
    const { asks, router } = this.#thread;
    const reason = toEnvelope(error).message;
    if (kind === Wire.failure) {
      router.failAsk(to, ask, plainEnvelope(payload as ErrorEnvelope));
    } else if (kind === Wire.answer) {
      router.failAsk(to, ask, toEnvelope(new Unsendable({ what: 'the answer', reason })));
    } else if (isMessage(kind)) {
      const type = typeLeft(payload as Message);
      const refusal = new Unsendable({ what: `the message ${type}`, reason });
      if (ask === 0) router.undelivered(from, to, type, refusal.message);
      else asks.fail(ask, refusal);
    }
  }
}
