/**
 * The context that handlers get, one for each start of an actor: its view of the runtime. What it holds (answers owed,
 * timers, waits, unsaved changes) is let go of when the actor crashes or ends; from then on it does nothing, so that
 * a handler left over from before a crash cannot act for the actor that was started again.
 */
import type { AskOptions, Context, Reply, TellOptions, WaitOptions } from './actor.js';
import { type ActorId, NOBODY } from './address.js';
import type { Cell } from './cell.js';
import type { Deadline } from './deadlines.js';
import { ASK_DEADLINE_MS } from './defaults.js';
import type { TroupeError } from './errors.js';
import { Holdings } from './holdings.js';
import { Band, checkMs, Envelope, type Message, typeOf } from './message.js';
import { Phase } from './phases.js';
import type { Probe } from './probes.js';
import type { Handler } from './waits.js';

const NOTHING = (): void => {};

export class CellContext implements Context {
  readonly incarnation: number;
  readonly #cell: Cell;
  #closed: TroupeError | undefined;

  constructor(cell: Cell, incarnation: number) {
    this.#cell = cell;
    this.incarnation = incarnation;
  }

  get self(): ActorId {
    return this.#cell.id;
  }

  get name(): string {
    return this.#cell.name;
  }

  get sender(): ActorId {
    return this.#current?.from ?? NOBODY;
  }

  get now(): number {
    return this.#cell.home.now;
  }

  tell(to: ActorId, message: Message, options?: TellOptions): boolean {
    if (this.#closed !== undefined) return false;
    const { home, id } = this.#cell;
    if (options === undefined) return home.router.send(id, to, typeOf(message), message, Band.user);
    return home.router.tell(id, to, message, options.band ?? Band.user, options.transfer);
  }

  ask<T>(to: ActorId, message: Message, options: AskOptions = {}): Promise<T> {
    const { home, id } = this.#cell;
    if (this.#closed !== undefined) return refused(this.#closed);
    const deadlineMs = options.deadlineMs ?? ASK_DEADLINE_MS;
    const reason = options.reason ?? String(message?.type);
    const { waits } = this.#holdings;
    const wait = waits.add(reason, home.now, deadlineMs, to, this.#handler);
    const answer = home.router.ask<T>(id, to, message, options, wait);
    if (wait.handler !== undefined) home.deadlocks.asked(this.#cell, wait);
    return answer;
  }

  replyLater(): Reply {
    const envelope = this.#current;
    if (envelope === undefined || envelope.ask === 0) return { resolve: NOTHING, reject: NOTHING };
    envelope.takenOver = true;
    const { owed } = this.#holdings;
    owed.add(envelope);
    const { router } = this.#cell.home;
    return {
      resolve: (value) => {
        if (owed.delete(envelope)) router.answer(envelope, value);
      },
      reject: (error) => {
        if (owed.delete(envelope)) router.fail(envelope, error);
      },
    };
  }

  watch(id: ActorId): void {
    if (this.#closed === undefined) this.#cell.home.watches.watch(this.self, id);
  }

  unwatch(id: ActorId): void {
    if (this.#closed === undefined) this.#cell.home.watches.unwatch(this.self, id);
  }

  after(ms: number, message: Message): () => void {
    checkMs('ms', ms);
    const type = typeOf(message);
    if (this.#closed !== undefined) return NOTHING;
    const { home } = this.#cell;
    const { router, deadlines } = home;
    const { timers } = this.#holdings;
    const timer: Deadline = deadlines.call(ms, () => {
      timers.delete(timer);
      router.deliver(this.self, new Envelope(this.self, Band.reserved, 0, type, message, home.stamp));
    });
    timers.add(timer);
    return () => {
      if (timers.delete(timer)) deadlines.drop(timer);
    };
  }

  wait({ for: on, reason, deadlineMs }: WaitOptions): () => void {
    checkMs('deadlineMs', deadlineMs);
    if (this.#closed !== undefined) return NOTHING;
    const wait = this.#holdings.waits.add(reason, this.now, deadlineMs, on, this.#handler);
    return () => wait.end();
  }

  save(key: string, value: unknown): void {
    if (this.#closed !== undefined) return;
    // The state as it is now: what the actor does to its objects afterwards is another change.
    this.#holdings.changes.push([key, structuredClone(value)]);
    if (!this.#isHandling) this.#holdings.commit();
  }

  work(step: () => boolean): { wake(): void } {
    if (this.#closed !== undefined) return { wake: NOTHING };
    const held = this.#holdings;
    held.work = step;
    const { dispatcher } = this.#cell.home;
    const guarded = (): boolean => {
      if (this.#closed !== undefined || held.work !== step) return false;
      try {
        const more = this.#cell.home.runAs(this, () => this.within(undefined, step));
        this.#cell.stopIfAsked();
        return more;
      } catch (error) {
        this.#cell.crash(error, 'work');
        return false;
      }
    };
    return { wake: () => dispatcher.work(guarded) };
  }

  stop(): void {
    if (this.#closed !== undefined) return;
    this.#holdings.stopping = this.#current ?? true;
    if (!this.#isHandling) this.#cell.stopIfAsked();
  }

  probe(probe: Probe): void {
    this.#cell.home.probes.emit(probe);
  }

  // What follows is for the cell.

  /** Why it does nothing any more. */
  get closed(): TroupeError | undefined {
    return this.#closed;
  }

  /** What makes the waits that are made now. Control messages, notices and work come between and hold nobody up. */
  get #handler(): Handler | undefined {
    const { home, phase, inHand } = this.#cell;
    if (home.between?.context === this) return undefined;
    return phase === Phase.running ? inHand : this;
  }

  /** The message whose handler runs, or awaits. */
  get #current(): Envelope | undefined {
    const { home, inHand } = this.#cell;
    if (this.#closed !== undefined) return undefined;
    return home.between?.context === this ? home.between.envelope : inHand;
  }

  /** Whether a handler runs or awaits, or the start does. */
  get #isHandling(): boolean {
    const { home, phase, inHand } = this.#cell;
    return inHand !== undefined || phase === Phase.starting || home.between?.context === this;
  }

  /** Runs a handler that may come between the steps of a user handler, without mixing their changes. */
  within<T>(envelope: Envelope | undefined, handle: () => T): T {
    const cell = this.#cell;
    const { between } = cell.home;
    const unsaved = cell.held?.takeChanges();
    cell.home.between = { context: this, envelope };
    try {
      const value = handle();
      cell.held?.commit();
      return value;
    } finally {
      cell.home.between = between;
      if (unsaved !== undefined && cell.held !== undefined) cell.held.changes = unsaved;
    }
  }

  /** Code that this start set going has failed outside of every handler. */
  stray(cause: unknown, what: string): void {
    if (this.#closed === undefined) this.#cell.crash(cause, what);
  }

  /** Lets go of everything: answers owed and asks fail, timers and work end, unsaved changes are lost. */
  release(error: TroupeError): void {
    this.#cell.held?.release(error);
    this.#cell.held = undefined;
  }

  /** Releases, and does nothing from now on. */
  close(error: TroupeError): void {
    this.#closed = error;
    this.release(error);
  }

  get #holdings(): Holdings {
    this.#cell.held ??= new Holdings(this.#cell);
    return this.#cell.held;
  }
}

/** Its caller may be a handler that nobody waits for any more. */
function refused(error: TroupeError): Promise<never> {
  const refusal = Promise.reject(error);
  refusal.catch(NOTHING);
  return refusal;
}
