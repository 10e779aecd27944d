/**
 * A mailbox: three bounded bands, drained system first, then control, then user.
 */
import { MAILBOX_BOUND } from './defaults.js';
import { Band, type Envelope } from './message.js';
import { Ring } from './ring.js';

/** User messages must fall below this share of the bound before senders are told that there is room again. */
const ROOM_SHARE = 0.5;

export class Mailbox {
  /** Rings are made when first used: most actors are idle. */
  #bands: [Ring<Envelope> | undefined, Ring<Envelope> | undefined, Ring<Envelope> | undefined] = [
    undefined,
    undefined,
    undefined,
  ];
  #controlUnreserved = 0;

  depth(band: 0 | 1 | 2): number {
    return this.#bands[band]?.length ?? 0;
  }

  /** False: the band is full and the message was not taken. */
  push(envelope: Envelope): boolean {
    const band = envelope.band === Band.reserved ? Band.control : envelope.band;
    if (envelope.band === Band.control) {
      if (this.#controlUnreserved >= MAILBOX_BOUND.control) return false;
      this.#controlUnreserved++;
    } else if (envelope.band === Band.user) {
      if (this.depth(Band.user) >= MAILBOX_BOUND.user) return false;
    } else if (envelope.band === Band.system && this.depth(Band.system) >= MAILBOX_BOUND.system) {
      return false;
    }
    let ring = this.#bands[band];
    if (ring === undefined) {
      ring = new Ring();
      this.#bands[band] = ring;
    }
    ring.push(envelope);
    return true;
  }

  /** The next message; `urgentOnly` leaves the user band alone. */
  shift(urgentOnly: boolean): Envelope | undefined {
    const urgent = this.#take(Band.system) ?? this.#take(Band.control);
    if (urgent !== undefined || urgentOnly) return urgent;
    return this.#take(Band.user);
  }

  hasWork(urgentOnly: boolean): boolean {
    return (
      this.depth(Band.system) > 0 ||
      this.depth(Band.control) > 0 ||
      (!urgentOnly && this.depth(Band.user) > 0)
    );
  }

  /** Whether senders that were refused may be told to go on. */
  get roomy(): boolean {
    return this.depth(Band.user) <= MAILBOX_BOUND.user * ROOM_SHARE;
  }

  oldestUser(): Envelope | undefined {
    return this.#bands[Band.user]?.peek();
  }

  *[Symbol.iterator](): IterableIterator<Envelope> {
    for (const ring of this.#bands) if (ring !== undefined) yield* ring;
  }

  /** Empties all bands; answers what was in them. */
  drain(): Envelope[] {
    const left = [...this];
    this.#bands = [undefined, undefined, undefined];
    this.#controlUnreserved = 0;
    return left;
  }

  #take(band: 0 | 1 | 2): Envelope | undefined {
    const ring = this.#bands[band];
    if (ring === undefined) return undefined;
    const envelope = ring.shift();
    if (ring.length === 0) this.#bands[band] = undefined;
    if (envelope !== undefined && envelope.band === Band.control) this.#controlUnreserved--;
    return envelope;
  }
}
