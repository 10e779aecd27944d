/**
 * One thread of the system: its actors, its links to the other threads, and the way of every message between them.
 */
import type { AskOptions, Definition, SpawnOptions } from './actor.js';
import { type ActorId, makeId, NOBODY, slotOf, threadActor, threadOf } from './address.js';
import { Asks } from './asks.js';
import { type Board, Header } from './board.js';
import { Cell } from './cell.js';
import type { Clock } from './clock.js';
import { Deadlines } from './deadlines.js';
import { ASK_DEADLINE_MS } from './defaults.js';
import { Dispatcher } from './dispatcher.js';
import {
  ActorEnded,
  type ErrorEnvelope,
  fromEnvelope,
  MailboxFull,
  SystemStopped,
  toEnvelope,
} from './errors.js';
import { Link } from './link.js';
import { Band, type Envelope, type Message, type Notice } from './message.js';
import { Probes } from './probes.js';
import { Slots } from './slots.js';
import { Watches } from './watches.js';
import { DIRECTORY, STORE } from './well-known.js';
import { type Batch, ENTRY, type Entry, Wire, type WirePort } from './wire.js';

export class Thread {
  readonly number: number;
  readonly name: string;
  readonly clock: Clock;
  readonly board: Board;
  readonly probes = new Probes();
  readonly deadlines: Deadlines;
  readonly dispatcher: Dispatcher;
  readonly asks: Asks;
  /** Milliseconds since the epoch as of this slice. */
  now = 0;
  deadLetters = 0;

  readonly #slots: Slots<Cell>;
  readonly #links = new Map<number, Link>();
  readonly #dirty = new Set<Link>();
  readonly #watches: Watches;
  /** Actors elsewhere whose user band is known to be full. */
  readonly #full = new Set<ActorId>();
  #flushSoon = false;
  #stopping = false;

  /** `life`: how often this thread was started again; its new actors never get an address of an earlier life. */
  constructor(number: number, name: string, clock: Clock, board: Board, life: number) {
    this.#slots = new Slots(life);
    this.number = number;
    this.name = name;
    this.clock = clock;
    this.board = board;
    this.deadlines = new Deadlines(clock);
    this.asks = new Asks(this.deadlines);
    this.#watches = new Watches(this);
    this.dispatcher = new Dispatcher(clock, {
      before: () => {
        this.now = clock.now();
        board.header[Header.lastSlice] = this.now;
      },
      after: () => this.#flush(),
    });
  }

  // Actors

  /** Starts an actor here. `id`: the address it had before its thread was lost. */
  async spawn(
    definition: Definition,
    options: SpawnOptions,
    again?: { id: ActorId; incarnation: number; saved: ReadonlyMap<string, unknown> },
  ): Promise<ActorId> {
    const { slot, generation } = this.#slots.take(again?.id);
    const id = makeId(this.number, slot, generation);
    const cell = new Cell(this, id, slot, definition, options);
    this.#slots.put(slot, cell);
    this.board.open(slot, generation, definition.kind, options.name);
    this.now = this.clock.now();
    await cell.start(again?.incarnation ?? 0, again?.saved ?? new Map());
    return id;
  }

  cell(id: ActorId): Cell | undefined {
    const cell = this.#slots.get(slotOf(id));
    return cell !== undefined && cell.id === id && !cell.ended ? cell : undefined;
  }

  cells(): Cell[] {
    return this.#slots.all();
  }

  /** A cell has ended: its slot is free, and those who watch it hear of it. */
  forget(cell: Cell, reason: string): void {
    this.#slots.free(cell.slot);
    this.board.close(cell.slot);
    this.tellRoom(cell);
    for (const watcher of cell.watchers ?? []) this.#notify(watcher, { type: 'ended', id: cell.id, reason });
    this.#watches.dropWatcher(cell.id);
    if (!this.#stopping) this.tell(NOBODY, DIRECTORY, { type: 'ended', id: cell.id }, Band.reserved);
  }

  async stopAll(reason: string): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.cells().map((cell) => cell.end(reason)));
    this.asks.failAll(new SystemStopped({ what: 'an ask' }));
    this.deadlines.clear();
    this.#flush();
  }

  // Sending

  tell(from: ActorId, to: ActorId, message: Message, band: Band, transfer?: readonly ArrayBuffer[]): boolean {
    if (band === Band.user && this.#full.size > 0 && this.#full.has(to)) return false;
    if (threadOf(to) !== this.number) {
      return this.#link(to)?.send(band, to, from, 0, message, transfer) ?? false;
    }
    const envelope = this.#envelope(to, from, band, 0, message);
    const cell = this.cell(to);
    if (cell !== undefined) return cell.accept(envelope);
    this.deadLetter(
      envelope,
      new ActorEnded({ actor: `actor ${to}`, reason: 'no actor lives at this address' }),
    );
    return true;
  }

  ask<T>(
    from: ActorId,
    to: ActorId,
    message: Message,
    options: AskOptions,
    settled: () => void = () => {},
  ): Promise<T> {
    const deadlineMs = options.deadlineMs ?? ASK_DEADLINE_MS;
    const toName = this.cell(to)?.options.name ?? `actor ${to}`;
    const { number, answer } = this.asks.open(
      { to, toName, messageType: message.type, deadlineMs, signal: options.signal },
      settled,
    );
    const band = options.band ?? Band.user;
    if (options.signal?.aborted) return answer as Promise<T>;
    if (threadOf(to) === this.number) this.#deliver(this.#envelope(to, from, band, number, message));
    else if (band === Band.user && this.#full.has(to))
      this.asks.fail(number, new MailboxFull({ actor: toName, band: 'user', bound: 0 }));
    else {
      const link = this.#link(to);
      if (link === undefined)
        this.asks.fail(
          number,
          new ActorEnded({ actor: toName, reason: `thread ${threadOf(to)} is not there` }),
        );
      else if (!link.send(band, to, from, number, message, options.transfer))
        this.asks.fail(number, new MailboxFull({ actor: `the line to ${toName}`, band: 'user', bound: 0 }));
    }
    return answer as Promise<T>;
  }

  /** Answers an ask with a value. */
  answer(envelope: Envelope, value: unknown): void {
    this.#answerTo(envelope.from, envelope.ask, Wire.answer, value);
  }

  /** Answers an ask with an error. */
  fail(envelope: Envelope, error: unknown): void {
    this.#answerTo(envelope.from, envelope.ask, Wire.failure, toEnvelope(error));
  }

  deadLetter(envelope: Envelope, error: Error): void {
    this.deadLetters++;
    const { to, from, message } = envelope;
    this.probes.emitLimited(
      { name: 'deadletter', to, from, messageType: message.type, reason: error.message },
      to,
      this.now,
    );
    if (envelope.ask !== 0) this.fail(envelope, error);
  }

  watch(watcher: ActorId, id: ActorId): void {
    this.#watches.add(watcher, id);
    if (threadOf(id) === this.number) this.#watchHere(watcher, id);
    else if (this.#link(id)?.send(Wire.watch, id, watcher, 0, undefined) !== true) {
      this.#watches.lost(threadOf(id), 'its thread is not there');
    }
  }

  unwatch(watcher: ActorId, id: ActorId): void {
    this.#watches.remove(watcher, id);
    if (threadOf(id) === this.number) this.cell(id)?.watchers?.delete(watcher);
    else this.#link(id)?.send(Wire.unwatch, id, watcher, 0, undefined);
  }

  save(id: ActorId, changes: readonly [string, unknown][]): void {
    this.tell(id, STORE, { type: 'save', id, changes }, Band.reserved);
  }

  async loadSaved(id: ActorId): Promise<ReadonlyMap<string, unknown>> {
    return this.ask(threadActor(this.number), STORE, { type: 'load', id }, { band: Band.reserved });
  }

  /** Senders elsewhere that were refused may send again. */
  tellRoom(cell: Cell): void {
    for (const peer of cell.toldFull) this.#links.get(peer)?.send(Wire.room, NOBODY, cell.id, 0, undefined);
    cell.toldFull.clear();
  }

  // Links

  connect(peer: number, port: WirePort): void {
    this.#links.get(peer)?.close();
    this.#links.set(
      peer,
      new Link(
        peer,
        port,
        (link) => this.#onDirty(link),
        (entry, error) => this.#onUncloneable(entry, error),
      ),
    );
  }

  /** The peer thread is gone: nothing asked of it hangs, and those who watch its actors hear of it. */
  disconnect(peer: number, name: string, reason: string): void {
    this.#links.get(peer)?.close();
    this.#links.delete(peer);
    for (const id of this.#full) if (threadOf(id) === peer) this.#full.delete(id);
    this.asks.loseThread(peer, name, reason);
    this.#watches.lost(peer, reason);
  }

  /** A batch has come from a peer. Only queues: handlers run in the next slice. */
  receive(peer: number, batch: Batch): void {
    this.now = this.clock.now();
    let taken = 0;
    for (let i = 0; i < batch.length; i += ENTRY) {
      const kind = batch[i] as Wire;
      if (kind === Wire.user) taken++;
      this.#receiveOne(peer, {
        kind,
        to: batch[i + 1] as ActorId,
        from: batch[i + 2] as ActorId,
        ask: batch[i + 3] as number,
        payload: batch[i + 4],
      });
    }
    if (taken > 0) this.#links.get(peer)?.took(taken);
  }

  #receiveOne(peer: number, entry: Entry): void {
    const { kind, to, from, ask, payload } = entry;
    switch (kind) {
      case Wire.answer:
        this.asks.resolve(ask, payload);
        return;
      case Wire.failure:
        this.asks.fail(ask, fromEnvelope(payload as ErrorEnvelope));
        return;
      case Wire.watch:
        this.#watchHere(from, to);
        return;
      case Wire.unwatch:
        this.cell(to)?.watchers?.delete(from);
        return;
      case Wire.full:
        this.#full.add(from);
        return;
      case Wire.room:
        this.#full.delete(from);
        return;
      case Wire.credit:
        this.#links.get(peer)?.credit(ask);
        return;
      default:
        this.#deliver(this.#envelope(to, from, kind, ask, payload as Message));
    }
  }

  // The inside

  #envelope(to: ActorId, from: ActorId, band: Band, ask: number, message: Message): Envelope {
    if (!this.dispatcher.inSlice) this.now = this.clock.now();
    return { to, from, band, ask, message, at: this.now, takenOver: false };
  }

  /** Queues a message here; refused, the sender hears of it. */
  #deliver(envelope: Envelope): void {
    const cell = this.cell(envelope.to);
    if (cell === undefined) {
      this.deadLetter(
        envelope,
        new ActorEnded({ actor: `actor ${envelope.to}`, reason: 'no actor lives at this address' }),
      );
      return;
    }
    if (envelope.band === Band.system && envelope.message.type === 'ended') {
      this.#watches.remove(cell.id, (envelope.message as Notice as { id: ActorId }).id);
    }
    if (cell.accept(envelope)) return;
    const band = envelope.band === Band.user ? 'user' : envelope.band === Band.system ? 'system' : 'control';
    const error = new MailboxFull({ actor: cell.options.name, band, bound: cell.mailbox.depth(Band.user) });
    const sender = threadOf(envelope.from);
    if (sender !== this.number && envelope.band === Band.user && !cell.toldFull.has(sender)) {
      cell.toldFull.add(sender);
      this.#links.get(sender)?.send(Wire.full, NOBODY, cell.id, 0, undefined);
    }
    if (envelope.ask !== 0) this.fail(envelope, error);
    else this.#undelivered(envelope.from, envelope.to, envelope.message.type, error.message);
  }

  #undelivered(sender: ActorId, to: ActorId, messageType: string, reason: string): void {
    this.probes.emitLimited({ name: 'undelivered', to, from: sender, messageType, reason }, to, this.now);
    if (sender !== NOBODY) this.#notify(sender, { type: 'undelivered', to, messageType, reason });
  }

  #notify(to: ActorId, notice: Message): void {
    if (threadOf(to) === this.number)
      this.cell(to)?.accept(this.#envelope(to, NOBODY, Band.system, 0, notice));
    else this.#link(to)?.send(Wire.system, to, NOBODY, 0, notice);
  }

  /** Tells a watcher of this thread that an actor elsewhere has ended with its thread. */
  notifyEnded(watcher: ActorId, id: ActorId, reason: string): void {
    this.#notify(watcher, { type: 'ended', id, reason });
  }

  #watchHere(watcher: ActorId, id: ActorId): void {
    const cell = this.cell(id);
    if (cell === undefined) {
      this.#notify(watcher, { type: 'ended', id, reason: 'no actor lives at this address' });
      return;
    }
    cell.watchers ??= new Set();
    cell.watchers.add(watcher);
  }

  #answerTo(
    asker: ActorId,
    ask: number,
    kind: typeof Wire.answer | typeof Wire.failure,
    payload: unknown,
  ): void {
    const thread = threadOf(asker);
    if (thread !== this.number) {
      this.#links.get(thread)?.send(kind, asker, NOBODY, ask, payload);
    } else if (kind === Wire.answer) this.asks.resolve(ask, payload);
    else this.asks.fail(ask, fromEnvelope(payload as ErrorEnvelope));
  }

  #link(to: ActorId): Link | undefined {
    return this.#links.get(threadOf(to));
  }

  #onDirty(link: Link): void {
    this.#dirty.add(link);
    if (this.dispatcher.inSlice || this.#flushSoon) return;
    this.#flushSoon = true;
    queueMicrotask(() => {
      this.#flushSoon = false;
      if (!this.dispatcher.inSlice) this.#flush();
    });
  }

  #flush(): void {
    for (const link of this.#dirty) link.flush();
    this.#dirty.clear();
  }

  #onUncloneable(entry: Entry, error: Error): void {
    const reason = `it cannot be sent to another thread: ${error.message}`;
    if (entry.kind === Wire.answer) {
      this.#answerTo(entry.to, entry.ask, Wire.failure, toEnvelope(new Error(`the answer ${reason}`)));
      return;
    }
    const type = (entry.payload as Message | undefined)?.type ?? 'a message';
    if (entry.ask !== 0 && entry.kind <= Wire.reserved)
      this.asks.fail(entry.ask, new TypeError(`${type}: ${reason}`));
    else this.#undelivered(entry.from, entry.to, type, reason);
  }
}
