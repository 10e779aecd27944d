/**
 * The lines of one thread to its peers: opening and closing, batches in, and the flush of what goes out.
 */
import { type ActorId, threadOf } from './address.js';
import type { Arrivals } from './arrivals.js';
import type { Board } from './board.js';
import { Link, type LinkEvents } from './link.js';
import { CONTROL_THREAD } from './well-known.js';
import { type Batch, ENTRY, type Entry, Wire, type WirePort } from './wire.js';

export interface Peer {
  readonly number: number;
  readonly name: string;
  /** Its counter board: actors there are named from it. */
  readonly board: Board;
}

/** What arrives begins a turn of the thread; what is sent outside of one asks for a flush at its end. */
export interface TurnEvents {
  begin(): void;
  endLater(): void;
  /** Calls `act` when the loop has turned. */
  soon(act: () => void): void;
}

export class Lines {
  /** Of the system; one that there is no line to yet is on its way back. */
  threads = 0;
  readonly #arrivals: Arrivals;
  readonly #turns: TurnEvents;
  readonly #links: (Link | undefined)[] = [];
  readonly #peers: (Peer | undefined)[] = [];
  readonly #dirty: Link[] = [];
  readonly #events: LinkEvents;

  constructor(arrivals: Arrivals, turns: TurnEvents) {
    this.#arrivals = arrivals;
    this.#turns = turns;
    this.#events = {
      onDirty: (link) => {
        this.#dirty.push(link);
        turns.endLater();
      },
      onUncloneable: (entry, error) => arrivals.onUncloneable(entry, error),
      onCreditDue: (link) => turns.soon(() => link.giveCredit()),
    };
  }

  /** `open` gives the line its way in. */
  connect(peer: Peer, open: (receive: (batch: Batch) => void) => WirePort): void {
    this.close(peer.number);
    this.#peers[peer.number] = peer;
    this.#links[peer.number] = new Link(
      open((batch) => this.#receive(peer.number, batch)),
      this.#events,
    );
  }

  /** Answers the messages that were never posted. */
  close(peer: number): Entry[] {
    const link = this.#links[peer];
    this.#links[peer] = undefined;
    return link?.close() ?? [];
  }

  closeAll(): void {
    for (let peer = 0; peer < this.#links.length; peer++) this.close(peer);
  }

  isOpen(peer: number): boolean {
    return this.#links[peer] !== undefined;
  }

  /** The peer of a number, also after its line has closed. */
  peer(number: number): Peer | undefined {
    return this.#peers[number];
  }

  /** False: there is no line, or it takes no more of this band. */
  send(
    kind: Wire,
    to: ActorId,
    from: ActorId,
    ask: number,
    payload: unknown,
    transfer?: readonly ArrayBuffer[],
  ): boolean {
    return this.sendTo(threadOf(to), kind, to, from, ask, payload, transfer);
  }

  sendTo(
    peer: number,
    kind: Wire,
    to: ActorId,
    from: ActorId,
    ask: number,
    payload: unknown,
    transfer?: readonly ArrayBuffer[],
  ): boolean {
    return this.#links[peer]?.send(kind, to, from, ask, payload, transfer) ?? false;
  }

  flush(): void {
    if (this.#dirty.length === 0) return;
    // States first: whoever hears of an answer should find what was saved before it.
    this.#links[CONTROL_THREAD]?.flush();
    for (const link of this.#dirty) link.flush();
    this.#dirty.length = 0;
  }

  /** Only queues: handlers run in slices. */
  #receive(peer: number, batch: Batch): void {
    this.#turns.begin();
    let users = 0;
    let controls = 0;
    for (let i = 0; i < batch.length; i += ENTRY) {
      const kind = batch[i] as Wire;
      if (kind === Wire.credit) {
        this.#links[peer]?.credit(batch[i + 3] as number, batch[i + 4] as number);
        continue;
      }
      if (kind === Wire.user) users++;
      else if (kind === Wire.control) controls++;
      const [to, from, ask] = [batch[i + 1] as ActorId, batch[i + 2] as ActorId, batch[i + 3] as number];
      this.#arrivals.arrive(kind, to, from, ask, batch[i + 4]);
    }
    if (users + controls > 0) this.#links[peer]?.took(users, controls);
    this.#turns.endLater();
  }
}
