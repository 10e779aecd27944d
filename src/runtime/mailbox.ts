/**
 * A mailbox: three bounded bands, drained system first, then control, then user.
 *
 * A band is a list linked through its envelopes. The mailbox is itself the list of its user band, and makes those of the
 * others at their first message: most actors are idle, and an idle one should weigh little.
 */
import { MAILBOX_BOUND } from './defaults.js';
import { Band, type Envelope, type QueueBand, queueBand } from './message.js';

/** User messages must fall to this share of the bound before senders are told that there is room again. */
const ROOM_SHARE = 0.5;

class Queue {
  first: Envelope | undefined = undefined;
  length = 0;
  #last: Envelope | undefined = undefined;

  append(envelope: Envelope): void {
    if (this.#last === undefined) this.first = envelope;
    else this.#last.next = envelope;
    this.#last = envelope;
    this.length++;
  }

  takeFirst(): Envelope | undefined {
    const envelope = this.first;
    if (envelope === undefined) return undefined;
    this.first = envelope.next;
    if (envelope.next === undefined) this.#last = undefined;
    envelope.next = undefined;
    this.length--;
    return envelope;
  }
}

/** The bands that come first. */
class Urgent {
  readonly system = new Queue();
  readonly control = new Queue();
  /** Control messages that the protocol does not bound. */
  unreserved = 0;

  get length(): number {
    return this.system.length + this.control.length;
  }
}

export class Mailbox extends Queue {
  #urgent: Urgent | undefined;

  depth(band: QueueBand): number {
    if (band === Band.user) return this.length;
    return (band === Band.control ? this.#urgent?.control : this.#urgent?.system)?.length ?? 0;
  }

  /** False: the band is full and the message was not taken. */
  push(envelope: Envelope): boolean {
    if (envelope.band !== Band.user) return this.#pushUrgent(envelope);
    if (this.length >= MAILBOX_BOUND.user) return false;
    this.append(envelope);
    return true;
  }

  /** The next message; `urgentOnly` leaves the user band alone. */
  shift(urgentOnly: boolean): Envelope | undefined {
    const urgent = this.#urgent && takeUrgent(this.#urgent);
    return urgent === undefined && !urgentOnly ? this.takeFirst() : urgent;
  }

  hasWork(urgentOnly: boolean): boolean {
    return (!urgentOnly && this.length > 0) || (this.#urgent !== undefined && this.#urgent.length > 0);
  }

  /** Whether senders that were refused may be told to go on. */
  get roomy(): boolean {
    return this.length <= MAILBOX_BOUND.user * ROOM_SHARE;
  }

  /** When the oldest user message was queued. */
  get oldestUserAt(): number | undefined {
    return this.first?.at;
  }

  /** What is queued, in the order in which it will be handled. */
  *[Symbol.iterator](): IterableIterator<Envelope> {
    for (const queue of [this.#urgent?.system, this.#urgent?.control, this]) {
      for (let at = queue?.first; at !== undefined; at = at.next) yield at;
    }
  }

  /** Gives back what empty bands take. */
  trim(): void {
    if (this.#urgent?.length === 0) this.#urgent = undefined;
  }

  /** Empties all bands; answers what was in them. */
  drain(): Envelope[] {
    const left: Envelope[] = [];
    for (let next = this.shift(false); next !== undefined; next = this.shift(false)) left.push(next);
    return left;
  }

  #pushUrgent(envelope: Envelope): boolean {
    this.#urgent ??= new Urgent();
    const { system, control } = this.#urgent;
    if (envelope.band === Band.system) {
      // Each watch brings one `ended`, so they are bounded by what the actor watches and must not be lost.
      if (system.length >= MAILBOX_BOUND.system && envelope.type !== 'ended') return false;
      system.append(envelope);
      return true;
    }
    if (envelope.band === Band.control) {
      if (this.#urgent.unreserved >= MAILBOX_BOUND.control) return false;
      this.#urgent.unreserved++;
    }
    control.append(envelope);
    return true;
  }
}

function takeUrgent(urgent: Urgent): Envelope | undefined {
  const envelope = urgent.system.takeFirst() ?? urgent.control.takeFirst();
  if (envelope?.band === Band.control) urgent.unreserved--;
  return envelope;
}

/** The bound of the band that a message goes to, for those who are refused. */
export const boundOf = (band: Band): number =>
  MAILBOX_BOUND[(['system', 'control', 'user'] as const)[queueBand(band)]];
