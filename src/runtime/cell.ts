/**
 * One actor at home on its thread: a mailbox, and the turns that its handlers have.
 *
 * Who gets a turn is the dispatcher's business, where messages go is the router's, and how an actor starts, crashes and
 * ends stands in `life.ts`. Every message comes through here twice, so what a message needs is close together: the
 * mailbox and what handlers hold are the cell's own fields, and who has the thread is written on one line of the board.
 */
import { type Behaviour, type Definition, Refusal } from './actor.js';
import type { ActorId } from './address.js';
import { ActorState, Board, Field, Header, timeBucket } from './board.js';
import type { CellContext } from './context.js';
import { SAMPLE_EVERY } from './defaults.js';
import { end } from './end.js';
import { toEnvelope } from './errors.js';
import type { Holdings } from './holdings.js';
import { isPromise } from './in-time.js';
import { crash, type Rare } from './life.js';
import { Mailbox } from './mailbox.js';
import { Band, type Envelope, type Notice, queueBand } from './message.js';
import { awaken } from './passivation.js';
import { type LifeEvent, nextPhase, Phase, SHOWN } from './phases.js';
import type { Thread } from './thread.js';

export class Cell extends Mailbox {
  readonly id: ActorId;
  readonly slot: number;
  readonly home: Thread;
  readonly args: unknown;
  /** Set before the first start. */
  definition: Definition | undefined = undefined;
  /** Of the last start. */
  context: CellContext | undefined = undefined;
  phase: Phase = Phase.placed;
  /** There exactly while it runs. */
  behaviour: Behaviour | undefined = undefined;
  /** The user message whose handler runs or awaits. */
  inHand: Envelope | undefined = undefined;
  /** Made when the actor first holds something, and gone when it is down. */
  held: Holdings | undefined = undefined;
  /** In the dispatcher's queue. */
  queued = false;
  /** What most actors never need. */
  rare: Rare | undefined = undefined;

  constructor(home: Thread, id: ActorId, slot: number, args: unknown) {
    super();
    this.home = home;
    this.id = id;
    this.slot = slot;
    this.args = args;
  }

  get name(): string {
    return this.home.board.name(this.slot);
  }

  /** Queues a message. False: its band is full. */
  accept(envelope: Envelope): boolean {
    if (!this.push(envelope)) return false;
    const { board, tracer } = this.home;
    const at = Board.at(this.slot);
    const band = queueBand(envelope.band);
    board.count(at + Field.queued + band);
    if (this.first === envelope) board.words[at + Field.oldestSince] = envelope.at;
    if (tracer !== undefined) tracer.note('queued', this.id, envelope);
    if (this.phase === Phase.running) {
      if (!this.queued) this.home.dispatcher.ready(this);
    } else if (this.phase === Phase.passive) awaken(this);
    return true;
  }

  /** Handles up to `most` messages; answers how many. Meanwhile the board shows that it has the thread. */
  run(most: number): number {
    const { board, stamp, attribution } = this.home;
    const { header } = board;
    attribution?.enter(this.context);
    header[Header.handling] = this.slot + 1;
    header[Header.inHandSince] = stamp;
    let count = 0;
    while (count < most && this.phase === Phase.running) {
      const envelope = this.shift(this.inHand !== undefined);
      if (envelope === undefined) break;
      count++;
      this.#take(envelope, board);
    }
    header[Header.handling] = 0;
    return count;
  }

  /** Whether the dispatcher should keep it in the queue. */
  get isReady(): boolean {
    return this.phase === Phase.running && this.hasWork(this.inHand !== undefined);
  }

  /** A sender's thread is to hear that the user band is full. False: it has been told. */
  tellFull(thread: number): boolean {
    this.rare ??= {};
    this.rare.toldFull ??= new Set();
    if (this.rare.toldFull.has(thread)) return false;
    this.rare.toldFull.add(thread);
    return true;
  }

  /** Ends the actor if a handler that has ended asked for it. */
  stopIfAsked(): void {
    const stopping = this.held?.stopping;
    if (stopping !== undefined && stopping !== this.inHand) void end(this, 'it stopped itself');
  }

  /** A handler, or work of the actor's own, threw. */
  crash(cause: unknown, messageType: string): void {
    crash(this, cause, messageType);
  }

  /** Goes to the next phase of its life, with nothing in hand. `behaviour`: the one that it runs from now on. */
  become(event: LifeEvent, behaviour?: Behaviour): void {
    this.phase = nextPhase(this.phase, event);
    this.behaviour = behaviour;
    this.inHand = undefined;
    this.#show(SHOWN[this.phase]);
  }

  #show(state: number): void {
    this.home.board.words[Board.at(this.slot) + Field.state] = state;
  }

  #take(envelope: Envelope, board: Board): void {
    const { words, header } = board;
    const { clock, tracer } = this.home;
    const at = Board.at(this.slot);
    const band = queueBand(envelope.band);
    const taken = (words[at + Field.taken + band] as number) + 1;
    words[at + Field.taken + band] = taken;
    header[Header.inHand] = board.names.number(envelope.type);
    if (tracer !== undefined) tracer.note('taken', this.id, envelope);
    const begun = taken % SAMPLE_EVERY === 1 ? clock.now() : -1;
    if (band === Band.user) this.#receive(envelope, board);
    else if (band === Band.system) this.#notice(envelope);
    else this.#control(envelope);
    if (begun >= 0) board.count(at + Field.times + timeBucket(clock.now() - begun));
  }

  #receive(envelope: Envelope, { words }: Board): void {
    const { first } = this;
    if (first !== undefined) words[Board.at(this.slot) + Field.oldestSince] = first.at;
    if (this.rare?.toldFull !== undefined && this.roomy) this.home.router.tellRoom(this);
    this.inHand = envelope;
    try {
      const value = (this.behaviour as Behaviour).receive(
        envelope.message as never,
        this.context as CellContext,
      );
      if (isPromise(value)) this.#await(envelope, value);
      else this.#received(envelope, value);
    } catch (error) {
      this.crash(error, envelope.type);
    }
  }

  #await(envelope: Envelope, value: Promise<unknown>): void {
    const { board, stamp, deadlocks } = this.home;
    const at = Board.at(this.slot);
    board.words[at + Field.inHand] = board.names.number(envelope.type);
    board.words[at + Field.inHandSince] = stamp;
    this.#show(ActorState.awaiting);
    if (this.held !== undefined) deadlocks.awaits(this, envelope);
    value.then(
      (result) => {
        if (this.inHand !== envelope) return;
        this.#show(ActorState.idle);
        this.#received(envelope, result);
        if (!this.queued && this.isReady) this.home.dispatcher.ready(this);
      },
      (error) => {
        if (this.inHand === envelope) this.crash(error, envelope.type);
      },
    );
  }

  /** The user handler has ended well. */
  #received(envelope: Envelope, value: unknown): void {
    const { held, home } = this;
    this.inHand = undefined;
    if (held !== undefined) held.commit();
    if (envelope.ask !== 0 || home.tracer !== undefined) this.#settle(envelope, value);
    // Nothing can know it any more: waits, and an end that was asked for, name the message that they came with.
    else if (held === undefined) home.envelopes.give(envelope);
    if (held !== undefined) this.stopIfAsked();
  }

  #control(envelope: Envelope): void {
    const behaviour = this.behaviour as Behaviour;
    const context = this.context as CellContext;
    try {
      const value = context.within(envelope, () => {
        if (behaviour.control === undefined) throw new Error('no control message is understood here');
        return notPromised(behaviour.control(envelope.message as never, context), 'control');
      });
      this.#settle(envelope, value);
      this.stopIfAsked();
    } catch (error) {
      crash(this, error, envelope.type, envelope);
    }
  }

  #notice(envelope: Envelope): void {
    const notice = envelope.message as Notice;
    const behaviour = this.behaviour as Behaviour;
    const context = this.context as CellContext;
    if (notice.type === 'ended' && !this.home.watches.heard(this.id, notice.id)) return;
    try {
      context.within(undefined, () => notPromised(behaviour.notice?.(notice, context), 'notice'));
      this.home.tracer?.note('done', this.id, envelope);
      this.stopIfAsked();
    } catch (error) {
      crash(this, error, notice.type, envelope);
    }
  }

  #settle(envelope: Envelope, value: unknown): void {
    const { tracer } = this.home;
    if (tracer !== undefined) {
      if (value instanceof Refusal) tracer.note('failed', this.id, envelope, toEnvelope(value.error).message);
      else tracer.note('done', this.id, envelope);
    }
    if (envelope.ask === 0 || envelope.takenOver) return;
    if (value instanceof Refusal) this.home.router.fail(envelope, value.error);
    else this.home.router.answer(envelope, value);
  }
}

/** These handlers come between the steps of a user handler, so they may not take steps of their own. */
function notPromised(value: unknown, kind: string): unknown {
  if (!isPromise(value)) return value;
  value.then(undefined, () => {});
  throw new Error(`a ${kind} handler answered with a promise; ${kind} handlers may not await`);
}
