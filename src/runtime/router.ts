/**
 * The way of every message of one thread: to an actor here, over a line to another thread, or back to its sender.
 */
import type { AskOptions } from './actor.js';
import { type ActorId, NOBODY, threadOf } from './address.js';
import type { Cell } from './cell.js';
import { ASK_DEADLINE_MS, LINK_OUTBOX, LINK_WINDOW } from './defaults.js';
import {
  ActorEnded,
  BadArgument,
  type ErrorEnvelope,
  fromEnvelope,
  MailboxFull,
  ThreadLost,
  toEnvelope,
} from './errors.js';
import { boundOf } from './mailbox.js';
import {
  BAND_NAMES,
  Band,
  checkBand,
  checkMs,
  Envelope,
  type Message,
  queueBand,
  typeLeft,
  typeOf,
} from './message.js';
import type { Thread } from './thread.js';
import type { Wait } from './waits.js';
import { type Entry, Wire } from './wire.js';

export class Router {
  readonly #thread: Thread;
  /** Actors elsewhere whose user band is known to be full. */
  readonly full = new Set<ActorId>();

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  // Out

  /** False: the band is known to be full, or the thread is not there; nothing was sent. Throws `BadArgument`. */
  tell(from: ActorId, to: ActorId, message: Message, band: Band, transfer?: readonly ArrayBuffer[]): boolean {
    const type = typeOf(message);
    checkBand(band);
    return this.send(from, to, type, message, band, transfer);
  }

  /** The same of what was checked. */
  send(
    from: ActorId,
    to: ActorId,
    type: string,
    message: Message,
    band: Band,
    transfer?: readonly ArrayBuffer[],
  ): boolean {
    const thread = this.#thread;
    if (threadOf(to) !== thread.number) {
      if (band === Band.user && this.full.size > 0 && this.full.has(to)) return false;
      return thread.lines.send(band, to, from, 0, message, transfer);
    }
    const envelope = thread.envelopes.take(from, band, type, message, thread.stamp);
    const cell = thread.cell(to);
    if (cell !== undefined) {
      const taken = cell.accept(envelope);
      if (!taken) thread.tracer?.note('refused', to, envelope);
      return taken;
    }
    this.deadLetter(to, envelope, this.#nobodyAt(to));
    return true;
  }

  /** `wait`: how the asking actor shows that it waits. */
  ask<T>(from: ActorId, to: ActorId, message: Message, options: AskOptions, wait?: Wait): Promise<T> {
    const thread = this.#thread;
    const deadlineMs = options.deadlineMs ?? ASK_DEADLINE_MS;
    const band = options.band ?? Band.user;
    let type: string;
    try {
      type = typeOf(message);
      checkMs('deadlineMs', deadlineMs);
      checkBand(band);
      if (band === Band.system) {
        throw new BadArgument({
          argument: 'band',
          value: band,
          expected: 'a band whose messages are answered',
        });
      }
    } catch (error) {
      wait?.end();
      return Promise.reject(error);
    }
    const request = { to, messageType: type, deadlineMs, signal: options.signal, wait };
    const pending = thread.asks.prepare(request);
    const answer = pending.answer as Promise<T>;
    if (wait !== undefined) wait.ask = pending;
    if (!thread.asks.open(pending, thread.now)) return answer;
    if (threadOf(to) === thread.number) {
      const envelope = new Envelope(from, band, pending.number, type, message, thread.stamp);
      if (wait !== undefined) wait.message = envelope;
      this.deliver(to, envelope);
    } else if (band === Band.user && this.full.has(to)) {
      pending.fail(this.#fullError(thread.nameOf(to), Band.user));
    } else if (!thread.lines.send(band, to, from, pending.number, message, options.transfer)) {
      pending.fail(this.#unsent(to, band));
    }
    return answer;
  }

  /** Answers an ask with a value. */
  answer(envelope: Envelope, value: unknown): void {
    if (threadOf(envelope.from) === this.#thread.number) this.#thread.asks.resolve(envelope.ask, value);
    else this.#thread.lines.send(Wire.answer, envelope.from, NOBODY, envelope.ask, value);
  }

  /** Answers an ask with an error. */
  fail(envelope: Envelope, error: unknown): void {
    this.failAsk(envelope.from, envelope.ask, toEnvelope(error));
  }

  /** Tells an actor on the system band. */
  notify(to: ActorId, notice: Message): void {
    const thread = this.#thread;
    if (threadOf(to) !== thread.number) thread.lines.send(Wire.system, to, NOBODY, 0, notice);
    else thread.cell(to)?.accept(new Envelope(NOBODY, Band.system, 0, notice.type, notice, thread.stamp));
  }

  /** Counts a message that reached nobody, and fails its ask. */
  deadLetter(to: ActorId, envelope: Envelope, error: Error): void {
    const { from, type, ask } = envelope;
    const { board, probes, now, tracer } = this.#thread;
    board.countDeadLetter();
    tracer?.note('dead', to, envelope, error.message);
    const probe = { name: 'deadletter', to, from, messageType: type, reason: error.message };
    probes.emitLimited(probe, to, now);
    if (ask !== 0) this.fail(envelope, error);
  }

  /** Those who were refused by an actor of this thread may send again. */
  tellRoom(cell: Cell): void {
    const told = cell.rare?.toldFull;
    if (told === undefined || told.size === 0) return;
    for (const peer of told) this.#thread.lines.sendTo(peer, Wire.room, NOBODY, cell.id, 0, undefined);
    told.clear();
  }

  /** A peer is gone, with what was never posted to it. */
  loseThread(peer: number, name: string, reason: string, unsent: readonly Entry[]): void {
    for (const id of this.full) if (threadOf(id) === peer) this.full.delete(id);
    // Its next life has not been told.
    for (const cell of this.#thread.cells()) cell.rare?.toldFull?.delete(peer);
    const error = new ThreadLost({ thread: name, reason });
    for (const { to, from, kind, ask, payload } of unsent) {
      // Its ask fails with all others to that thread.
      if (ask !== 0) continue;
      const message = payload as Message;
      const envelope = new Envelope(from, kind as Band, 0, typeLeft(message), message, this.#thread.stamp);
      this.deadLetter(to, envelope, error);
    }
    this.#thread.asks.loseThread(peer, name, reason);
  }

  // Here

  /** Queues a message here; refused, the sender hears of it. */
  deliver(to: ActorId, envelope: Envelope): void {
    const { from, band, ask, type, message } = envelope;
    const cell = this.#thread.cell(to);
    if (cell === undefined) {
      this.deadLetter(to, envelope, this.#nobodyAt(to));
      return;
    }
    if (band === Band.system && type === 'ended') {
      if (!this.#thread.watches.tell(to, message.id as ActorId)) return;
    }
    if (cell.accept(envelope)) return;
    this.#thread.tracer?.note('refused', to, envelope);
    const sender = threadOf(from);
    if (sender !== this.#thread.number && band === Band.user && cell.tellFull(sender)) {
      this.#thread.lines.sendTo(sender, Wire.full, NOBODY, cell.id, 0, undefined);
    }
    const error = this.#fullError(cell.name, band);
    if (ask === 0) this.undelivered(from, to, type, error.message);
    else this.fail(envelope, error);
  }

  undelivered(sender: ActorId, to: ActorId, messageType: string, reason: string): void {
    const probe = { name: 'undelivered', to, from: sender, messageType, reason };
    this.#thread.probes.emitLimited(probe, to, this.#thread.now);
    if (sender !== NOBODY) this.notify(sender, { type: 'undelivered', to, messageType, reason });
  }

  failAsk(asker: ActorId, ask: number, error: ErrorEnvelope): void {
    if (threadOf(asker) === this.#thread.number) this.#thread.asks.fail(ask, fromEnvelope(error));
    else this.#thread.lines.send(Wire.failure, asker, NOBODY, ask, error);
  }

  #nobodyAt(to: ActorId): Error {
    return new ActorEnded({ actor: this.#thread.nameOf(to), reason: 'no actor lives at this address' });
  }

  #fullError(actor: string, band: Band): Error {
    return new MailboxFull({ actor, band: BAND_NAMES[queueBand(band)], bound: boundOf(band) });
  }

  /** Why a line took nothing: it is not there, or it is full. */
  #unsent(to: ActorId, band: Band): Error {
    const { lines } = this.#thread;
    const thread = threadOf(to);
    const peer = lines.peer(thread);
    if (peer === undefined && thread >= lines.threads) {
      return new ActorEnded({ actor: `actor ${to}`, reason: `there is no thread ${thread}` });
    }
    if (peer === undefined || !lines.isOpen(thread)) {
      return new ThreadLost({ thread: peer?.name ?? String(thread), reason: 'it is not back yet' });
    }
    const bound = band === Band.user ? LINK_WINDOW + LINK_OUTBOX : LINK_WINDOW;
    return new MailboxFull({ actor: `the line to ${peer.name}`, band: BAND_NAMES[queueBand(band)], bound });
  }
}
