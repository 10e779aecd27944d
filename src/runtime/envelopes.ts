/**
 * Envelopes that were handled and can carry the next message: making one for each message costs a tenth of its way, most
 * of it in collecting them. Only envelopes that nothing can know any more come here.
 */
import type { ActorId } from './address.js';
import { ENVELOPES_KEPT } from './defaults.js';
import { type Band, Envelope, type Message } from './message.js';

const NOTHING: Message = { type: '' };

export class Envelopes {
  #first: Envelope | undefined;
  #kept = 0;

  /** One for a message that is no ask. */
  take(from: ActorId, band: Band, type: string, message: Message, at: number): Envelope {
    const envelope = this.#first;
    if (envelope === undefined) return new Envelope(from, band, 0, type, message, at);
    this.#first = envelope.next;
    this.#kept--;
    envelope.next = undefined;
    envelope.from = from;
    envelope.band = band;
    envelope.type = type;
    envelope.message = message;
    envelope.at = at;
    return envelope;
  }

  give(envelope: Envelope): void {
    if (this.#kept >= ENVELOPES_KEPT) return;
    this.#kept++;
    // What it carried is not kept alive.
    envelope.message = NOTHING;
    envelope.next = this.#first;
    this.#first = envelope;
  }
}
