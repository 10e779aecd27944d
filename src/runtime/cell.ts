/**
 * One actor at home on its thread: its mailbox, its behaviour, and its life from start over restarts to end.
 *
 * The cell runs handlers and keeps the promises of `docs/semantics.md`; who gets a turn is the dispatcher's business and
 * where messages go is the thread's.
 */
import { type Behaviour, type Definition, Refusal, type SpawnOptions } from './actor.js';
import type { ActorId } from './address.js';
import { ActorState, Board, Field, timeBucket } from './board.js';
import { CellContext } from './context.js';
import { RESTARTS, SAMPLE_EVERY } from './defaults.js';
import { ActorCrashed, ActorEnded, asTroupeError, type TroupeError } from './errors.js';
import { Mailbox } from './mailbox.js';
import { Band, type Envelope, type Notice } from './message.js';
import { judgeCrash } from './supervision.js';
import type { Thread } from './thread.js';

export class Cell {
  readonly id: ActorId;
  readonly slot: number;
  readonly options: SpawnOptions;
  readonly home: Thread;
  readonly mailbox = new Mailbox();
  readonly context: CellContext;
  /** In the dispatcher's queue. */
  queued = false;
  /** Senders' threads that were told that the user band is full. */
  readonly toldFull = new Set<number>();
  watchers: Set<ActorId> | undefined;

  readonly #definition: Definition;
  readonly #at: number;
  #behaviour: Behaviour | undefined;
  #inHand: Envelope | undefined;
  #crashes: readonly number[] = [];
  #ended = false;
  #handled = 0;

  constructor(home: Thread, id: ActorId, slot: number, definition: Definition, options: SpawnOptions) {
    this.home = home;
    this.id = id;
    this.slot = slot;
    this.#definition = definition;
    this.options = options;
    this.#at = Board.at(slot);
    this.context = new CellContext(this);
  }

  /** Makes the behaviour. Rejects with what `start` threw; the cell has then ended. */
  async start(incarnation: number, saved: ReadonlyMap<string, unknown>): Promise<void> {
    this.#state(ActorState.restarting);
    this.context.incarnation = incarnation;
    try {
      const made = await this.#definition.start(this.context, this.options.args, saved);
      if (this.#ended) {
        await made.stop?.('ended while it started');
        return;
      }
      this.#behaviour = made;
      this.context.commit();
    } catch (error) {
      this.#note(error);
      await this.end(`its start failed: ${asTroupeError(error).message}`);
      throw error;
    }
    this.#state(ActorState.idle);
    if (this.mailbox.hasWork(false)) this.home.dispatcher.ready(this);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Queues a message. False: its band is full. */
  accept(envelope: Envelope): boolean {
    if (!this.mailbox.push(envelope)) return false;
    const words = this.home.board.words;
    const band = envelope.band === Band.reserved ? Band.control : envelope.band;
    const counter = this.#at + Field.queued + band;
    words[counter] = (words[counter] as number) + 1;
    if (band === Band.user && this.mailbox.depth(Band.user) === 1)
      words[this.#at + Field.oldestSince] = envelope.at;
    if (!this.queued && this.#canRun()) this.home.dispatcher.ready(this);
    return true;
  }

  /** Handles up to `most` messages; answers how many. */
  run(most: number): number {
    let count = 0;
    while (count < most && this.#behaviour !== undefined && !this.#ended) {
      const envelope = this.mailbox.shift(this.#inHand !== undefined);
      if (envelope === undefined) break;
      count++;
      this.#take(envelope);
    }
    return count;
  }

  /** Whether the dispatcher should keep it in the queue. */
  get hasWork(): boolean {
    return !this.#ended && this.#canRun() && this.mailbox.hasWork(this.#inHand !== undefined);
  }

  get inHand(): Envelope | undefined {
    return this.#inHand;
  }

  /** Ends the actor for good. Settles when its `stop` has. */
  async end(reason: string): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const error = new ActorEnded({ actor: this.options.name, reason });
    const left = this.mailbox.drain();
    if (this.#inHand?.ask && !this.#inHand.takenOver) this.home.fail(this.#inHand, error);
    this.#inHand = undefined;
    this.context.release(error);
    for (const envelope of left) this.home.deadLetter(envelope, error);
    const behaviour = this.#behaviour;
    this.#behaviour = undefined;
    try {
      await behaviour?.stop?.(reason);
    } catch (cause) {
      this.home.probes.emit({
        name: 'actor.stop_failed',
        actor: this.options.name,
        error: asTroupeError(cause).message,
      });
    } finally {
      this.home.forget(this, reason);
    }
  }

  /** A handler, or work of the actor's own, threw. */
  crash(cause: unknown, messageType: string): void {
    if (this.#ended) return;
    const reason = asTroupeError(cause);
    this.#note(cause);
    const error = new ActorCrashed({ actor: this.options.name, message: messageType, cause: reason.message });
    if (this.#inHand?.ask && !this.#inHand.takenOver) this.home.fail(this.#inHand, error);
    this.#inHand = undefined;
    this.context.release(error);
    const behaviour = this.#behaviour;
    this.#behaviour = undefined;
    this.home.probes.emit({
      name: 'actor.crashed',
      actor: this.options.name,
      message: messageType,
      error: reason.message,
    });
    const verdict = judgeCrash(this.#crashes, this.home.now, RESTARTS);
    if (!verdict.restart) {
      void this.#stopThen(behaviour, () => this.end(`crashed: ${reason.message}`));
      return;
    }
    this.#crashes = verdict.crashes;
    const restarts = this.#at + Field.restarts;
    this.home.board.words[restarts] = (this.home.board.words[restarts] as number) + 1;
    this.#state(ActorState.restarting);
    void this.#stopThen(behaviour, async () => {
      const saved = await this.home.loadSaved(this.id);
      await this.start(this.context.incarnation + 1, saved).catch(() => {});
    });
  }

  #canRun(): boolean {
    return this.#behaviour !== undefined;
  }

  async #stopThen(behaviour: Behaviour | undefined, next: () => Promise<void>): Promise<void> {
    try {
      await behaviour?.stop?.('crashed');
    } catch {
      // The behaviour is discarded because it failed; a second failure adds nothing.
    }
    try {
      await next();
    } catch (error) {
      await this.end(`its restart failed: ${asTroupeError(error).message}`);
    }
  }

  #take(envelope: Envelope): void {
    const words = this.home.board.words;
    const band = envelope.band === Band.reserved ? Band.control : envelope.band;
    const counter = this.#at + Field.taken + band;
    words[counter] = (words[counter] as number) + 1;
    if (band === Band.user) {
      words[this.#at + Field.oldestSince] = this.mailbox.oldestUser()?.at ?? 0;
      if (this.toldFull.size > 0 && this.mailbox.roomy) this.home.tellRoom(this);
    }
    words[this.#at + Field.inHand] = this.home.board.intern(envelope.message.type);
    words[this.#at + Field.inHandSince] = this.home.now;
    const timed = this.#handled++ % SAMPLE_EVERY === 0;
    const begun = timed ? performance.now() : 0;
    if (band === Band.system) this.#notice(envelope.message as Notice);
    else if (band === Band.control) this.#control(envelope);
    else this.#receive(envelope);
    if (timed) {
      const bucket = this.#at + Field.times + timeBucket(performance.now() - begun);
      words[bucket] = (words[bucket] as number) + 1;
    }
    if (this.#inHand === undefined) words[this.#at + Field.inHand] = 0;
    else words[this.#at + Field.inHand] = this.home.board.intern(this.#inHand.message.type);
  }

  #notice(notice: Notice): void {
    try {
      this.context.within(undefined, () => this.#behaviour?.notice?.(notice, this.context));
    } catch (error) {
      this.crash(error, notice.type);
    }
  }

  #control(envelope: Envelope): void {
    const behaviour = this.#behaviour as Behaviour;
    try {
      this.context.within(envelope, () => {
        if (behaviour.control === undefined) throw new Error('no control message is understood here');
        const value = behaviour.control(envelope.message as never, this.context);
        if (isPromise(value)) {
          value.catch(() => {});
          throw new Error('a control handler answered with a promise; control handlers may not await');
        }
        this.#settle(envelope, value);
      });
    } catch (error) {
      if (envelope.ask !== 0 && !envelope.takenOver) this.home.fail(envelope, this.#crashed(envelope, error));
      this.crash(error, envelope.message.type);
    }
  }

  #receive(envelope: Envelope): void {
    this.#inHand = envelope;
    this.context.enter(envelope);
    this.#state(ActorState.handling);
    let value: unknown;
    try {
      value = (this.#behaviour as Behaviour).receive(envelope.message as never, this.context);
    } catch (error) {
      this.crash(error, envelope.message.type);
      return;
    }
    if (!isPromise(value)) {
      this.#received(envelope, value);
      return;
    }
    this.#state(ActorState.awaiting);
    value.then(
      (result) => this.#inHand === envelope && this.#received(envelope, result),
      (error) => this.#inHand === envelope && this.crash(error, envelope.message.type),
    );
  }

  #received(envelope: Envelope, value: unknown): void {
    this.#inHand = undefined;
    this.context.commit();
    this.#settle(envelope, value);
    this.home.board.words[this.#at + Field.inHand] = 0;
    this.#state(ActorState.idle);
    if (!this.queued && this.mailbox.hasWork(false)) this.home.dispatcher.ready(this);
  }

  #settle(envelope: Envelope, value: unknown): void {
    if (envelope.ask === 0 || envelope.takenOver) return;
    if (value instanceof Refusal) this.home.fail(envelope, value.error);
    else this.home.answer(envelope, value);
  }

  #crashed(envelope: Envelope, cause: unknown): TroupeError {
    return new ActorCrashed({
      actor: this.options.name,
      message: envelope.message.type,
      cause: asTroupeError(cause).message,
    });
  }

  #state(state: number): void {
    this.home.board.words[this.#at + Field.state] = state;
  }

  #note(error: unknown): void {
    this.home.board.words[this.#at + Field.lastError] = this.home.board.intern(asTroupeError(error).message);
  }
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as Promise<unknown>).then === 'function';
