/**
 * A mailbox: three bounded bands, drained system first, then control, then user.
 *
 * A band is a list linked through its envelopes and made at its first message: most actors are idle, and an idle one
 * should weigh little.
 */
import { MAILBOX_BOUND } from './defaults.js';
import { Band, type Envelope, type QueueBand, queueBand } from './message.js';

/** User messages must fall to this share of the bound before senders are told that there is room again. */
const ROOM_SHARE = 0.5;

class Queue {
  first: Envelope | undefined = undefined;
  length = 0;
  #last: Envelope | undefined = undefined;

  push(envelope: Envelope): void {
    if (this.#last === undefined) this.first = envelope;
    else this.#last.next = envelope;
    this.#last = envelope;
    this.length++;
  }

  shift(): Envelope | undefined {
    const envelope = this.first;
    if (envelope === undefined) return undefined;
    this.first = envelope.next;
    if (envelope.next === undefined) this.#last = undefined;
    envelope.next = undefined;
    this.length--;
    return envelope;
  }
}

export class Mailbox {
  #system: Queue | undefined;
  #control: Queue | undefined;
  #user: Queue | undefined;
  /** System and control messages queued. */
  #urgent = 0;
  #unreserved = 0;

  depth(band: QueueBand): number {
    const queue = band === Band.user ? this.#user : band === Band.control ? this.#control : this.#system;
    return queue?.length ?? 0;
  }

  /** False: the band is full and the message was not taken. */
  push(envelope: Envelope): boolean {
    switch (envelope.band) {
      case Band.user:
        this.#user ??= new Queue();
        if (this.#user.length >= MAILBOX_BOUND.user) return false;
        this.#user.push(envelope);
        return true;
      case Band.system:
        this.#system ??= new Queue();
        // Each watch brings one `ended`, so they are bounded by what the actor watches and must not be lost.
        if (this.#system.length >= MAILBOX_BOUND.system && envelope.message.type !== 'ended') return false;
        this.#system.push(envelope);
        break;
      case Band.control:
        if (this.#unreserved >= MAILBOX_BOUND.control) return false;
        this.#unreserved++;
        this.#control ??= new Queue();
        this.#control.push(envelope);
        break;
      default:
        this.#control ??= new Queue();
        this.#control.push(envelope);
    }
    this.#urgent++;
    return true;
  }

  /** The next message; `urgentOnly` leaves the user band alone. */
  shift(urgentOnly: boolean): Envelope | undefined {
    if (this.#urgent === 0) return urgentOnly ? undefined : this.#user?.shift();
    this.#urgent--;
    const envelope = this.#system?.shift() ?? this.#control?.shift();
    if (envelope?.band === Band.control) this.#unreserved--;
    return envelope;
  }

  hasWork(urgentOnly: boolean): boolean {
    return this.#urgent > 0 || (!urgentOnly && this.depth(Band.user) > 0);
  }

  /** Whether senders that were refused may be told to go on. */
  get roomy(): boolean {
    return this.depth(Band.user) <= MAILBOX_BOUND.user * ROOM_SHARE;
  }

  /** When the oldest user message was queued. */
  get oldestUserAt(): number | undefined {
    return this.#user?.first?.at;
  }

  /** What is queued, in the order in which it will be handled. */
  *[Symbol.iterator](): IterableIterator<Envelope> {
    for (const queue of [this.#system, this.#control, this.#user]) {
      for (let at = queue?.first; at !== undefined; at = at.next) yield at;
    }
  }

  /** Gives back what empty bands take. */
  trim(): void {
    if (this.#system?.length === 0) this.#system = undefined;
    if (this.#control?.length === 0) this.#control = undefined;
    if (this.#user?.length === 0) this.#user = undefined;
  }

  /** Empties all bands; answers what was in them. */
  drain(): Envelope[] {
    const left = [...this];
    for (const envelope of left) envelope.next = undefined;
    this.#system = undefined;
    this.#control = undefined;
    this.#user = undefined;
    this.#urgent = 0;
    this.#unreserved = 0;
    return left;
  }
}

/** The bound of the band that a message goes to, for those who are refused. */
export const boundOf = (band: Band): number =>
  MAILBOX_BOUND[(['system', 'control', 'user'] as const)[queueBand(band)]];
