/**
 * One direction of the line between two threads: batches, and credit for messages.
 *
 * A sender may have `LINK_WINDOW` user messages on the way; what goes beyond waits here, in order, up to `LINK_OUTBOX`,
 * and then `send` refuses. Control messages have a window of their own and are refused past it. The other kinds are
 * bounded by what they answer and always go with the next flush.
 */
import type { ActorId } from './address.js';
import { BATCH_MESSAGES, LINK_OUTBOX, LINK_WINDOW } from './defaults.js';
import { Ring } from './ring.js';
import { type Batch, ENTRY, type Entry, entryAt, isMessage, Wire, type WirePort } from './wire.js';

type Transfer = readonly ArrayBuffer[] | undefined;
const NOTHING: readonly ArrayBuffer[] = [];

interface Waiting extends Entry {
  readonly transfer: Transfer;
}

export interface LinkEvents {
  /** The first entry of a batch was written: flush the link at the end of the turn. */
  onDirty(link: Link): void;
  /** An entry cannot be cloned and was left out; the others of its batch have gone. */
  onUncloneable(entry: Entry, error: unknown): void;
  /** A quarter of the window was taken: give it back when the loop has turned. */
  onCreditDue(link: Link): void;
}

export class Link {
  readonly #port: WirePort;
  readonly #events: LinkEvents;
  readonly #waiting = new Ring<Waiting>();
  #batch: Batch = [];
  /** Where in the batch an entry begins that moves buffers, and which. */
  #transfers: { readonly at: number; readonly buffers: readonly ArrayBuffer[] }[] = [];
  #usersOnTheWay = 0;
  #controlsOnTheWay = 0;
  #usersTaken = 0;
  #controlsTaken = 0;
  #creditDue = false;
  #open = true;

  constructor(port: WirePort, events: LinkEvents) {
    this.#port = port;
    this.#events = events;
  }

  /** False: the line is closed, or as many messages of the band are on the way as may be. */
  send(kind: Wire, to: ActorId, from: ActorId, ask: number, payload: unknown, transfer?: Transfer): boolean {
    if (!this.#open) return false;
    if (kind === Wire.user) {
      if (this.#usersOnTheWay >= LINK_WINDOW || this.#waiting.length > 0) {
        if (this.#waiting.length >= LINK_OUTBOX) return false;
        this.#waiting.push({ kind, to, from, ask, payload, transfer });
        return true;
      }
      this.#usersOnTheWay++;
    } else if (kind === Wire.control) {
      if (this.#controlsOnTheWay >= LINK_WINDOW) return false;
      this.#controlsOnTheWay++;
    }
    this.#append(kind, to, from, ask, payload, transfer);
    return true;
  }

  /** The peer has taken messages from its port. */
  credit(users: number, controls: number): void {
    this.#usersOnTheWay -= users;
    this.#controlsOnTheWay -= controls;
    while (this.#usersOnTheWay < LINK_WINDOW) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#usersOnTheWay++;
      this.#append(next.kind, next.to, next.from, next.ask, next.payload, next.transfer);
    }
  }

  /**
   * Counts messages taken from this side's port. Credit waits for a turn of the loop: a port goes on as long as there is
   * something to read, so a peer that had its credit back at once could keep timers waiting.
   */
  took(users: number, controls: number): void {
    this.#usersTaken += users;
    this.#controlsTaken += controls;
    if (this.#creditDue) return;
    if (this.#usersTaken < LINK_WINDOW / 4 && this.#controlsTaken < LINK_WINDOW / 4) return;
    this.#creditDue = true;
    this.#events.onCreditDue(this);
  }

  giveCredit(): void {
    this.#creditDue = false;
    this.send(Wire.credit, 0, 0, this.#usersTaken, this.#controlsTaken);
    this.#usersTaken = 0;
    this.#controlsTaken = 0;
  }

  flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    const transfers = this.#transfers;
    this.#batch = [];
    if (transfers.length > 0) this.#transfers = [];
    try {
      const buffers = transfers.length === 0 ? NOTHING : transfers.flatMap((transfer) => transfer.buffers);
      this.#port.post(batch, buffers);
    } catch {
      this.#postSingly(batch, transfers);
    }
  }

  /** Takes what has arrived, then ends the line. Answers the messages that were never posted. */
  close(): Entry[] {
    if (!this.#open) return [];
    this.#open = false;
    const unsent: Entry[] = [];
    for (let i = 0; i < this.#batch.length; i += ENTRY) unsent.push(entryAt(this.#batch, i));
    unsent.push(...this.#waiting);
    this.#batch = [];
    this.#transfers = [];
    while (this.#waiting.shift() !== undefined);
    this.#port.close();
    return unsent.filter((entry) => isMessage(entry.kind));
  }

  /** An entry that cannot be cloned has spoiled the batch: the others go one by one, in order. */
  #postSingly(batch: Batch, transfers: readonly { at: number; buffers: readonly ArrayBuffer[] }[]): void {
    for (let at = 0; at < batch.length; at += ENTRY) {
      const buffers = transfers.find((transfer) => transfer.at === at)?.buffers ?? NOTHING;
      try {
        this.#port.post(batch.slice(at, at + ENTRY), buffers);
      } catch (error) {
        const entry = entryAt(batch, at);
        if (entry.kind === Wire.user) this.#usersOnTheWay--;
        if (entry.kind === Wire.control) this.#controlsOnTheWay--;
        this.#events.onUncloneable(entry, error);
      }
    }
  }

  #append(kind: Wire, to: ActorId, from: ActorId, ask: number, payload: unknown, transfer: Transfer): void {
    if (this.#batch.length === 0) this.#events.onDirty(this);
    if (transfer !== undefined) this.#transfers.push({ at: this.#batch.length, buffers: transfer });
    this.#batch.push(kind, to, from, ask, payload);
    if (this.#batch.length >= ENTRY * BATCH_MESSAGES) this.flush();
  }
}
