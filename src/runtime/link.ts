/**
 * One direction of the line between two threads: batches, and credit for user messages.
 *
 * A sender may have `LINK_WINDOW` user messages on the way; what goes beyond waits here, in order, up to `LINK_OUTBOX`,
 * and then `send` refuses. The other kinds are bounded by what they answer and always go with the next flush.
 */
import type { ActorId } from './address.js';
import { BATCH_MESSAGES, LINK_OUTBOX, LINK_WINDOW } from './defaults.js';
import { Ring } from './ring.js';
import { type Batch, ENTRY, type Entry, Wire, type WirePort } from './wire.js';

interface Waiting extends Entry {
  readonly transfer: readonly ArrayBuffer[] | undefined;
}

export class Link {
  readonly peer: number;
  readonly #port: WirePort;
  readonly #onDirty: (link: Link) => void;
  readonly #onUncloneable: (entry: Entry, error: Error) => void;
  readonly #waiting = new Ring<Waiting>();
  #batch: Batch = [];
  #transfer: ArrayBuffer[] = [];
  #onTheWay = 0;
  #taken = 0;
  #open = true;

  constructor(
    peer: number,
    port: WirePort,
    onDirty: (link: Link) => void,
    onUncloneable: (entry: Entry, error: Error) => void,
  ) {
    this.peer = peer;
    this.#port = port;
    this.#onDirty = onDirty;
    this.#onUncloneable = onUncloneable;
  }

  /** False: the line is closed, or as many user messages wait here as may. */
  send(
    kind: Wire,
    to: ActorId,
    from: ActorId,
    ask: number,
    payload: unknown,
    transfer?: readonly ArrayBuffer[],
  ): boolean {
    if (!this.#open) return false;
    if (kind === Wire.user) {
      if (this.#onTheWay >= LINK_WINDOW || this.#waiting.length > 0) {
        if (this.#waiting.length >= LINK_OUTBOX) return false;
        this.#waiting.push({ kind, to, from, ask, payload, transfer });
        return true;
      }
      this.#onTheWay++;
    }
    this.#append(kind, to, from, ask, payload, transfer);
    return true;
  }

  /** The peer has taken user messages from its port. */
  credit(count: number): void {
    this.#onTheWay -= count;
    while (this.#onTheWay < LINK_WINDOW) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#onTheWay++;
      this.#append(next.kind, next.to, next.from, next.ask, next.payload, next.transfer);
    }
  }

  /** Counts user messages taken from this side's port; gives credit back in quarters of the window. */
  took(count: number): void {
    this.#taken += count;
    if (this.#taken >= LINK_WINDOW / 4) {
      this.send(Wire.credit, 0, 0, this.#taken, undefined);
      this.#taken = 0;
    }
  }

  flush(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    const transfer = this.#transfer;
    this.#batch = [];
    this.#transfer = [];
    try {
      this.#port.post(batch, transfer);
    } catch (error) {
      this.#postSingly(batch, transfer, error as Error);
    }
  }

  close(): void {
    this.#open = false;
    this.#batch = [];
    while (this.#waiting.shift() !== undefined);
    this.#port.close();
  }

  /** One entry cannot be cloned and spoiled the batch: the others still go, in order. */
  #postSingly(batch: Batch, transfer: readonly ArrayBuffer[], error: Error): void {
    if (batch.length === ENTRY) {
      const [kind, to, from, ask, payload] = batch as [Wire, ActorId, ActorId, number, unknown];
      if (kind === Wire.user) this.#onTheWay--;
      this.#onUncloneable({ kind, to, from, ask, payload }, error);
      return;
    }
    for (let i = 0; i < batch.length; i += ENTRY) {
      const one = batch.slice(i, i + ENTRY);
      try {
        this.#port.post(
          one,
          transfer.filter((buffer) => refersTo(one[4], buffer)),
        );
      } catch (cause) {
        this.#postSingly(one, [], cause as Error);
      }
    }
  }

  #append(
    kind: Wire,
    to: ActorId,
    from: ActorId,
    ask: number,
    payload: unknown,
    transfer: readonly ArrayBuffer[] | undefined,
  ): void {
    if (this.#batch.length === 0) this.#onDirty(this);
    this.#batch.push(kind, to, from, ask, payload);
    if (transfer !== undefined) this.#transfer.push(...transfer);
    if (this.#batch.length >= ENTRY * BATCH_MESSAGES) this.flush();
  }
}

/** Whether a message carries a buffer, one level deep, as typed array or itself. */
function refersTo(payload: unknown, buffer: ArrayBuffer): boolean {
  if (typeof payload !== 'object' || payload === null) return false;
  return Object.values(payload).some(
    (value) => value === buffer || (ArrayBuffer.isView(value) && value.buffer === buffer),
  );
}
