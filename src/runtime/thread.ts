/**
 * One thread of the system: its actors, and the parts that serve them (router, lines, dispatcher, deadlines, board).
 */
import type { AskOptions, Definition, SpawnOptions } from './actor.js';
import { type ActorId, generationOf, MAX_THREADS, makeId, slotOf, threadActor, threadOf } from './address.js';
import { Arrivals } from './arrivals.js';
import { Asks } from './asks.js';
import type { Attribution } from './attribution.js';
import { Board, Field, Header } from './board.js';
import { Cell } from './cell.js';
import type { Clock } from './clock.js';
import type { CellContext } from './context.js';
import { Deadlines } from './deadlines.js';
import { Deadlocks } from './deadlocks.js';
import { Dispatcher } from './dispatcher.js';
import { end } from './end.js';
import { Envelopes } from './envelopes.js';
import type { TroupeError } from './errors.js';
import type { Change } from './holdings.js';
import { start } from './life.js';
import { Lines } from './lines.js';
import { Band, type Envelope, type Message } from './message.js';
import { Passivation } from './passivation.js';
import { Phase } from './phases.js';
import { Probes } from './probes.js';
import { Router } from './router.js';
import { Slots } from './slots.js';
import { seededRandom } from './supervision.js';
import type { TraceBatch } from './trace-protocol.js';
import type { Tracer } from './tracer.js';
import { Turn } from './turn.js';
import { Watches } from './watches.js';
import { DIRECTORY, STORE } from './well-known.js';

/** An actor that lived before its thread was lost. */
export interface Again {
  readonly id: ActorId;
  readonly incarnation: number;
  readonly saved: ReadonlyMap<string, unknown>;
}

interface Between {
  readonly context: CellContext;
  readonly envelope: Envelope | undefined;
}

/** What a thread needs to know of an actor that is given its definition. */
export type Placement = Pick<SpawnOptions, 'name' | 'args'> & Partial<SpawnOptions>;

export class Thread {
  readonly number: number;
  readonly name: string;
  readonly clock: Clock;
  readonly board: Board;
  readonly probes = new Probes();
  readonly envelopes = new Envelopes();
  /** The handler that runs between the steps of others: of a control message, a notice, or work. */
  between: Between | undefined = undefined;
  readonly deadlines: Deadlines;
  readonly dispatcher: Dispatcher;
  /** All the chance there is here, and the same in every run. */
  readonly random: () => number;
  readonly asks: Asks;
  readonly router: Router;
  readonly lines: Lines;
  readonly watches: Watches;
  readonly deadlocks: Deadlocks;
  readonly passivation: Passivation;
  /** Ends under way, until the names are free. */
  readonly ending = new Map<ActorId, Promise<void>>();
  /** There is one only while messages are traced. */
  tracer: Tracer | undefined = undefined;
  /** Told of what any thread has traced, on the main thread. */
  onTraced: ((batch: TraceBatch) => void) | undefined = undefined;
  /** Knows whose code fails outside of every handler. */
  attribution: Attribution | undefined = undefined;
  /** Told that an actor without which the system cannot be has given up. */
  onVitalLost: ((actor: string, reason: string) => void) | undefined = undefined;
  /** Told of every crash, for those that the system cannot live with. */
  onCrash: ((cell: Cell, error: TroupeError) => void) | undefined = undefined;

  readonly #slots: Slots<Cell>;
  readonly #turn: Turn;
  /** Whether the actors of an earlier life have their slots: before, new ones may take none, and nobody knows who comes back. */
  isBack: boolean;
  #stopping = false;

  /** `life`: how often this thread was started again; its new actors never get an address of an earlier life. */
  constructor(number: number, name: string, clock: Clock, board: Board, life: number) {
    this.random = seededRandom(number + MAX_THREADS * life);
    this.number = number;
    this.name = name;
    this.clock = clock;
    this.board = board;
    this.isBack = life === 0;
    this.#slots = new Slots(name, life, board.actors);
    this.deadlines = new Deadlines(clock);
    this.asks = new Asks(this.deadlines, life, (id) => this.nameOf(id));
    this.router = new Router(this);
    this.watches = new Watches(this);
    this.deadlocks = new Deadlocks(this, life);
    this.passivation = new Passivation(this);
    this.#turn = new Turn(clock, () => this.lines.flush());
    this.lines = new Lines(new Arrivals(this), {
      begin: () => this.#turn.begin(clock.now()),
      // A slice ends by itself.
      endLater: () => {
        if (!this.dispatcher.inSlice) this.#turn.endLater();
      },
      soon: (act) => clock.soon(act),
    });
    this.dispatcher = new Dispatcher(clock, {
      at: (now) => {
        this.#turn.begin(now);
        board.header[Header.lastSlice] = now;
      },
      ended: () => {
        this.attribution?.enter(undefined);
        this.#turn.end();
      },
    });
  }

  // Messages

  tell(from: ActorId, to: ActorId, message: Message, band: Band, transfer?: readonly ArrayBuffer[]): boolean {
    return this.router.tell(from, to, message, band, transfer);
  }

  ask<T>(from: ActorId, to: ActorId, message: Message, options: AskOptions): Promise<T> {
    return this.router.ask<T>(from, to, message, options);
  }

  /** Milliseconds since the epoch, as of this turn of the thread. */
  get now(): number {
    return this.#turn.now;
  }

  /** The same in whole milliseconds. */
  get stamp(): number {
    return this.#turn.stamp;
  }

  // Actors

  /** Starts an actor here. `again`: it lived before its thread was lost. */
  async spawn(definition: Definition, options: Placement, again?: Again): Promise<ActorId> {
    const cell = this.place(options, again?.id);
    await this.start(cell, definition, again);
    return cell.id;
  }

  /** Gives an actor its address and its mailbox. Throws `ThreadFull`. */
  place(options: Placement, id?: ActorId): Cell {
    const { slot, generation } = id === undefined ? this.#slots.take() : this.#slots.retake(id);
    const cell = new Cell(this, makeId(this.number, slot, generation), slot, options.args);
    const { startMs, restart, parent, passivateMs } = options;
    if (![startMs, restart, parent, passivateMs].every((option) => option === undefined)) {
      cell.rare = { startMs, restart, parent, passivateMs };
    }
    this.#slots.put(slot, cell);
    this.board.open(slot, generation, options.name);
    return cell;
  }

  start(cell: Cell, definition: Definition, again?: Omit<Again, 'id'>): Promise<void> {
    cell.definition = definition;
    if (cell.phase !== Phase.ended)
      this.board.words[Board.at(cell.slot) + Field.kind] = this.board.names.number(definition.kind);
    return start(cell, again?.incarnation ?? 0, again?.saved ?? new Map());
  }

  /** Runs code of an actor: what it sets going is told of, and fails, as that actor's. */
  runAs<T>(context: CellContext | undefined, code: () => T): T {
    return this.attribution === undefined ? code() : this.attribution.run(context, code);
  }

  cell(id: ActorId): Cell | undefined {
    const cell = this.#slots.get(slotOf(id));
    return cell !== undefined && cell.id === id && cell.phase !== Phase.ended ? cell : undefined;
  }

  cells(): Cell[] {
    return this.#slots.all();
  }

  /** How a reader knows an actor, wherever it lives. */
  nameOf(id: ActorId): string {
    const thread = threadOf(id);
    const board = thread === this.number ? this.board : this.lines.peer(thread)?.board;
    const known = board?.holds(slotOf(id), generationOf(id));
    return known ? (board as Board).name(slotOf(id)) : `actor ${id}`;
  }

  /**
   * A cell has ended: its slot is free, and those who watch it hear of it. Settles when its name is free too, or the
   * directory cannot say so.
   */
  async forget(cell: Cell, reason: string): Promise<void> {
    const { id, slot, name } = cell;
    this.#slots.free(slot);
    this.board.close(slot);
    this.router.tellRoom(cell);
    this.watches.ended(id, reason);
    if (this.#stopping) return;
    const self = threadActor(this.number);
    const failed = cell.rare?.gaveUp === true;
    await this.router
      .ask(self, DIRECTORY, { type: 'ended', id, name, reason, failed }, { band: Band.reserved })
      .catch(() => {});
  }

  async stopAll(reason: string): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.cells().map((cell) => end(cell, reason)));
    this.asks.stop();
    this.deadlines.clear();
    this.lines.flush();
  }

  // State

  save(id: ActorId, changes: readonly Change[]): void {
    this.router.tell(id, STORE, { type: 'save', id, changes }, Band.reserved);
  }

  loadSaved(id: ActorId): Promise<ReadonlyMap<string, unknown>> {
    return this.router.ask(threadActor(this.number), STORE, { type: 'load', id }, { band: Band.reserved });
  }

  // Peers

  /** The peer thread is gone: nothing asked of it hangs, and those who watch its actors hear of it. */
  loseThread(peer: number, name: string, reason: string): void {
    const unsent = this.lines.close(peer);
    this.router.loseThread(peer, name, reason, unsent);
    this.watches.loseThread(peer, reason);
  }
}
