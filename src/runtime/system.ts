/**
 * The actor system as the main thread holds it: starts the threads and the mesh of lines between them, starts lost ones
 * again, and stops everything in order.
 */
import { MessageChannel } from 'node:worker_threads';
import type { AskOptions, SpawnOptions, TellOptions } from './actor.js';
import { type ActorId, NOBODY, threadActor, threadOf } from './address.js';
import { Board, createBoardMemory } from './board.js';
import { realClock } from './clock.js';
import { ASK_DEADLINE_MS, THREAD_RESTARTS, THREAD_START_MS } from './defaults.js';
import { ActorEnded, asTroupeError, SystemStopped, ThreadLost, type TroupeError } from './errors.js';
import { type ActorReport, readActors, type SystemReport } from './inspect.js';
import { Band, type Message } from './message.js';
import { openPort } from './port.js';
import type { Probe } from './probes.js';
import { judgeCrash } from './supervision.js';
import { Thread } from './thread.js';
import { type PeekReport, startThreadActor } from './thread-actor.js';
import { CONTROL_THREAD, DIRECTORY, MAIN_THREAD } from './well-known.js';
import { HostWorker } from './worker.js';

export interface ThreadPlan {
  readonly name: string;
  /** Whether actors that name no thread may be placed here. */
  readonly host: boolean;
}

interface Place {
  readonly number: number;
  readonly name: string;
  board: Board;
  worker: HostWorker | undefined;
  life: number;
  crashes: readonly number[];
}

export class System {
  readonly main: Thread;
  readonly #epochMs = Date.now();
  readonly #places: Place[] = [];
  readonly #hosts: readonly number[];
  #stopping: Promise<void> | undefined;
  #failure: TroupeError | undefined;

  private constructor(plans: readonly ThreadPlan[]) {
    const board = new Board(createBoardMemory());
    this.main = new Thread(MAIN_THREAD, 'main', realClock(this.#epochMs), board, 0);
    const place = (name: string, number: number, own: Board): Place => ({
      number,
      name,
      board: own,
      worker: undefined,
      life: 0,
      crashes: [],
    });
    this.#places.push(place('main', MAIN_THREAD, board), place('control', CONTROL_THREAD, board));
    for (const plan of plans) this.#places.push(place(plan.name, this.#places.length, board));
    this.#hosts = plans.flatMap((plan, index) => (plan.host ? [index + 2] : []));
  }

  /** Threads are numbered in the order of `plans`, from 2; 0 is the main thread and 1 the control thread. */
  static async start(plans: readonly ThreadPlan[]): Promise<System> {
    const system = new System(plans);
    await startThreadActor(system.main, 0);
    try {
      await Promise.all(system.#workers().map((place) => system.#startWorker(place)));
      for (const place of system.#workers())
        await system.#connect(place, (peer) => peer.number < place.number);
    } catch (error) {
      await system.stop('it could not start');
      throw error;
    }
    return system;
  }

  get epochMs(): number {
    return this.#epochMs;
  }

  async spawn(options: SpawnOptions): Promise<ActorId> {
    const deadlineMs = (options.startMs ?? THREAD_START_MS) + ASK_DEADLINE_MS;
    return this.ask<ActorId>(DIRECTORY, { ...options, type: 'spawn' }, { band: Band.reserved, deadlineMs });
  }

  tell(to: ActorId, message: Message, options?: TellOptions): boolean {
    return this.main.tell(
      threadActor(MAIN_THREAD),
      to,
      message,
      options?.band ?? Band.user,
      options?.transfer,
    );
  }

  async ask<T>(to: ActorId, message: Message, options: AskOptions = {}): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#stopping !== undefined) throw new SystemStopped({ what: `the ask ${message.type}` });
    return this.main.ask<T>(threadActor(MAIN_THREAD), to, message, options);
  }

  /** The actor of a name; undefined if there is none. */
  async lookup(name: string): Promise<ActorId | undefined> {
    const id = await this.ask<ActorId>(DIRECTORY, { type: 'lookup', name }, { band: Band.reserved });
    return id === NOBODY ? undefined : id;
  }

  /** Ends an actor, if it has not ended; its name is free then. */
  async stopActor(id: ActorId, reason: string): Promise<void> {
    await this.ask(DIRECTORY, { type: 'stop', id, reason }, { band: Band.reserved });
  }

  /** Everything that can be seen without asking anyone. */
  inspect(): SystemReport {
    const now = this.main.clock.now();
    const boards = (thread: number): Board | undefined => this.#places[thread]?.board;
    const actors: ActorReport[] = [];
    for (const place of this.#places) actors.push(...readActors(place.board, place, now, boards));
    return {
      threads: this.#places.map((place) => ({
        number: place.number,
        name: place.name,
        alive: place.number === MAIN_THREAD || place.worker !== undefined,
        sinceSliceMs: place.board.sinceSlice(now),
        restarts: place.life,
      })),
      actors,
    };
  }

  async peek(id: ActorId, preview = false): Promise<PeekReport> {
    if (threadOf(id) >= this.#places.length) {
      throw new ActorEnded({ actor: `actor ${id}`, reason: 'no actor lives at this address' });
    }
    return this.ask(threadActor(threadOf(id)), { type: 'peek', id, preview }, { band: Band.reserved });
  }

  /** Probes of all threads. Answers the function that unsubscribes. */
  onProbe(listener: (probe: Probe) => void): () => void {
    return this.main.probes.on(listener);
  }

  /** Ends a thread at once, as a crash would: for tests of what must survive it. */
  async terminateThread(number: number): Promise<void> {
    await this.#places[number]?.worker?.terminate();
  }

  /** Stops the threads: those that host actors first, then those given before them, the control thread last. */
  stop(reason = 'the system stopped'): Promise<void> {
    this.#stopping ??= this.#stop(reason);
    return this.#stopping;
  }

  async #stop(reason: string): Promise<void> {
    const rank = (place: Place): number =>
      place.number === CONTROL_THREAD ? 2 : this.#hosts.includes(place.number) ? 0 : 1;
    for (const level of [0, 1, 2]) {
      const leaving = this.#workers().filter((place) => rank(place) === level);
      await Promise.all(leaving.map((place) => place.worker?.stop(reason)));
    }
    await this.main.stopAll(reason);
    for (const place of this.#workers()) this.main.disconnect(place.number, place.name, reason);
  }

  #workers(): Place[] {
    return this.#places.slice(1);
  }

  async #startWorker(place: Place): Promise<void> {
    const memory = createBoardMemory();
    place.board = new Board(memory);
    const worker = await HostWorker.start(
      {
        number: place.number,
        name: place.name,
        epochMs: this.#epochMs,
        life: place.life,
        board: memory,
        hosts: this.#hosts,
      },
      (probe) => this.main.probes.emit(probe),
      (reason) => void this.#lose(place, reason),
    );
    place.worker = worker;
    await worker.forwardProbes();
  }

  /** Lays a line between a thread and each of its peers. */
  async #connect(place: Place, toPeer: (peer: Place) => boolean): Promise<void> {
    for (const peer of this.#places) {
      if (peer === place || !toPeer(peer)) continue;
      if (peer.number !== MAIN_THREAD && peer.worker === undefined) continue;
      const { port1, port2 } = new MessageChannel();
      if (peer.number === MAIN_THREAD)
        this.main.connect(place.number, openPort(this.main, place.number, port1));
      else await peer.worker?.connect(place.number, port1);
      await place.worker?.connect(peer.number, port2);
    }
  }

  async #lose(place: Place, reason: string): Promise<void> {
    if (this.#stopping !== undefined) return;
    place.worker = undefined;
    this.main.probes.emit({ name: 'thread.lost', thread: place.name, reason });
    this.main.disconnect(place.number, place.name, reason);
    if (place.number === CONTROL_THREAD) return this.#fail(place, reason);
    const peers = this.#workers().filter((peer) => peer.worker !== undefined);
    await Promise.allSettled(peers.map((peer) => peer.worker?.disconnect(place.number, place.name, reason)));
    const verdict = judgeCrash(place.crashes, this.main.clock.now(), THREAD_RESTARTS);
    if (!verdict.restart) return this.#fail(place, `${reason}; it crashed too often to be started again`);
    place.crashes = verdict.crashes;
    place.life++;
    try {
      await this.#startWorker(place);
      await this.#connect(place, () => true);
      const restart = { type: 'respawn', thread: place.number };
      await this.ask(DIRECTORY, restart, { band: Band.reserved, deadlineMs: THREAD_START_MS });
      this.main.probes.emit({ name: 'thread.restarted', thread: place.name, life: place.life });
    } catch (error) {
      if (this.#stopping !== undefined || place.worker === undefined) return;
      await this.#fail(place, asTroupeError(error).message);
    }
  }

  /** The system cannot go on: everything pending fails, and everything asked from now on. */
  async #fail(place: Place, reason: string): Promise<void> {
    this.#failure ??= new ThreadLost({ thread: place.name, reason });
    this.main.probes.emit({ name: 'system.failed', thread: place.name, reason });
    this.main.asks.failAll(this.#failure);
    this.onFailure?.(this.#failure);
    await this.stop(reason);
  }

  /** Told once when the system cannot go on. */
  onFailure: ((error: TroupeError) => void) | undefined;
}
