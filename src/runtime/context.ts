/**
 * The context that handlers get, one an actor: its view of the runtime, and what it holds that must be let go of when it
 * crashes or ends (answers owed, timers, waits, unsaved changes).
 */
import type { AskOptions, Context, Reply, TellOptions, WaitOptions } from './actor.js';
import { type ActorId, NOBODY, slotOf, threadOf } from './address.js';
import { Board, Field } from './board.js';
import type { Cell } from './cell.js';
import type { Deadline } from './deadlines.js';
import { ASK_DEADLINE_MS } from './defaults.js';
import type { TroupeError } from './errors.js';
import { Band, type Envelope, type Message } from './message.js';
import type { Probe } from './probes.js';

interface Wait {
  readonly reason: string;
  readonly since: number;
  readonly deadline: number;
  readonly for: ActorId;
}

export class CellContext implements Context {
  incarnation = 0;
  readonly #cell: Cell;
  #current: Envelope | undefined;
  readonly #owed = new Set<Envelope>();
  readonly #timers = new Set<Deadline>();
  #waits: Wait[] = [];
  #changes: [string, unknown][] = [];
  #work: { step: () => boolean } | undefined;

  constructor(cell: Cell) {
    this.#cell = cell;
  }

  get self(): ActorId {
    return this.#cell.id;
  }

  get name(): string {
    return this.#cell.options.name;
  }

  get sender(): ActorId {
    return this.#current?.from ?? NOBODY;
  }

  get now(): number {
    return this.#cell.home.now;
  }

  tell(to: ActorId, message: Message, options?: TellOptions): boolean {
    return this.#cell.home.tell(this.self, to, message, options?.band ?? Band.user, options?.transfer);
  }

  ask<T>(to: ActorId, message: Message, options: AskOptions = {}): Promise<T> {
    const deadlineMs = options.deadlineMs ?? ASK_DEADLINE_MS;
    const done = this.wait({ for: to, reason: options.reason ?? message.type, deadlineMs });
    return this.#cell.home.ask<T>(this.self, to, message, options, done);
  }

  replyLater(): Reply {
    const envelope = this.#current;
    if (envelope === undefined || envelope.ask === 0) return { resolve() {}, reject() {} };
    envelope.takenOver = true;
    this.#owed.add(envelope);
    const home = this.#cell.home;
    return {
      resolve: (value) => {
        if (this.#owed.delete(envelope)) home.answer(envelope, value);
      },
      reject: (error) => {
        if (this.#owed.delete(envelope)) home.fail(envelope, error);
      },
    };
  }

  watch(id: ActorId): void {
    this.#cell.home.watch(this.self, id);
  }

  unwatch(id: ActorId): void {
    this.#cell.home.unwatch(this.self, id);
  }

  after(ms: number, message: Message): () => void {
    const { home } = this.#cell;
    const timer = home.deadlines.add(ms, () => {
      this.#timers.delete(timer);
      home.tell(this.self, this.self, message, Band.reserved);
    });
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      home.deadlines.drop(timer);
    };
  }

  wait(options: WaitOptions): () => void {
    const since = this.#cell.home.now;
    const wait: Wait = {
      for: options.for,
      reason: options.reason,
      since,
      deadline: since + options.deadlineMs,
    };
    this.#waits.push(wait);
    this.#showWait();
    return () => {
      const at = this.#waits.indexOf(wait);
      if (at < 0) return;
      this.#waits.splice(at, 1);
      this.#showWait();
    };
  }

  save(key: string, value: unknown): void {
    this.#changes.push([key, value]);
  }

  work(step: () => boolean): { wake(): void } {
    const work = { step };
    this.#work = work;
    const { home } = this.#cell;
    const guarded = (): boolean => {
      if (this.#work !== work) return false;
      try {
        const more = work.step();
        this.commit();
        return more;
      } catch (error) {
        this.#cell.crash(error, 'work');
        return false;
      }
    };
    return { wake: () => home.dispatcher.work(guarded) };
  }

  stop(): void {
    void this.#cell.end('it stopped itself');
  }

  probe(probe: Probe): void {
    this.#cell.home.probes.emit(probe);
  }

  /** What it waits for, oldest first. */
  get waits(): readonly Wait[] {
    return this.#waits;
  }

  // What follows is for the cell.

  /** A user handler begins. */
  enter(envelope: Envelope): void {
    this.#current = envelope;
  }

  /** Runs a handler that may come between the steps of a user handler, without mixing their changes. */
  within(envelope: Envelope | undefined, handle: () => void): void {
    const outer = this.#current;
    const changes = this.#changes;
    this.#current = envelope;
    this.#changes = [];
    handle();
    this.commit();
    this.#current = outer;
    this.#changes = changes;
  }

  /** The handler ended well: its changes go to the store together. */
  commit(): void {
    if (this.#changes.length === 0) return;
    this.#cell.home.save(this.self, this.#changes);
    this.#changes = [];
  }

  /** Lets go of everything: answers owed fail, timers and work end, unsaved changes are lost. */
  release(error: TroupeError): void {
    for (const envelope of this.#owed) this.#cell.home.fail(envelope, error);
    this.#owed.clear();
    for (const timer of this.#timers) this.#cell.home.deadlines.drop(timer);
    this.#timers.clear();
    this.#waits = [];
    this.#showWait();
    this.#changes = [];
    this.#work = undefined;
    this.#current = undefined;
  }

  #showWait(): void {
    const { words } = this.#cell.home.board;
    const at = Board.at(this.#cell.slot);
    const wait = this.#waits.at(-1);
    words[at + Field.waitReason] = wait ? this.#cell.home.board.intern(wait.reason) : 0;
    if (wait === undefined) return;
    words[at + Field.waitSince] = wait.since;
    words[at + Field.waitDeadline] = wait.deadline;
    words[at + Field.waitThread] = threadOf(wait.for);
    words[at + Field.waitSlot] = slotOf(wait.for);
  }
}
