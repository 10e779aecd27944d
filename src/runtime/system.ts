/**
 * The actor system as the main thread holds it: what its user may do with it, from start to stop.
 */
import type { AskOptions, SpawnOptions, TellOptions } from './actor.js';
import { type ActorId, NOBODY, threadActor, threadOf } from './address.js';
import { ACTOR_STOP_MS, ASK_DEADLINE_MS, FROZEN_MS, LIFETIME_MS, RESPAWN_MS } from './defaults.js';
import { duration } from './duration.js';
import {
  ActorEnded,
  asTroupeError,
  Escalated,
  SystemStopped,
  ThreadLost,
  type TroupeError,
} from './errors.js';
import { type Frozen, Heartbeat } from './heartbeat.js';
import { readActors, type SystemReport } from './inspect.js';
import { gone, Mesh, type Place, type ThreadPlan } from './mesh.js';
import { Band, checkMs, type Message } from './message.js';
import type { PeekReport } from './peek.js';
import { spawnedWithinMs } from './placement.js';
import type { Platform } from './platform.js';
import type { Probe } from './probes.js';
import { Recovery } from './recovery.js';
import type { Thread } from './thread.js';
import { startThreadActor } from './thread-actor.js';
import type { TraceOptions } from './trace-protocol.js';
import { type TraceListener, Traces } from './traces.js';
import { DIRECTORY, MAIN_THREAD } from './well-known.js';
import { workerThreads } from './worker-threads.js';

export type { ThreadPlan } from './mesh.js';

export interface SystemOptions {
  readonly platform?: Platform;
  /** A thread that answers nothing for so long is frozen, and replaced if it hosts actors; 0: never. Default 15 s. */
  readonly frozenMs?: number;
}

export class System {
  /** When its time began, ms since 1970. */
  readonly epochMs: number;
  readonly #mesh: Mesh;
  readonly #recovery: Recovery;
  readonly #heartbeat: Heartbeat | undefined;
  readonly #traces: Traces;
  /** Ends that somebody waits for, each asked for once. */
  readonly #ends = new Map<ActorId, Promise<string>>();
  #stopping: Promise<void> | undefined;
  #failure: TroupeError | undefined;
  /** Told once when the system cannot go on. */
  onFailure: ((error: TroupeError) => void) | undefined = undefined;

  private constructor(
    plans: readonly ThreadPlan[],
    { platform = workerThreads(), frozenMs = FROZEN_MS }: SystemOptions,
  ) {
    this.epochMs = platform.epochMs;
    this.#mesh = new Mesh(plans, platform, {
      onProbe: (probe) => this.main.probes.emit(probe),
      onLost: (place, reason) => this.#recovery.lost(place, reason),
    });
    this.#traces = new Traces(this.#mesh);
    const fromDirectory = async (type: string, place: Place, deadlineMs: number): Promise<void> => {
      await this.ask(DIRECTORY, { type, thread: place.number }, { band: Band.reserved, deadlineMs });
    };
    this.#recovery = new Recovery(this.#mesh, {
      reserve: (place) => fromDirectory('reserve', place, ASK_DEADLINE_MS),
      respawn: (place) => {
        this.#traces.joined(place.number);
        return fromDirectory('respawn', place, RESPAWN_MS);
      },
      onGivenUp: ({ name: thread }, reason) => this.#fail(new ThreadLost({ thread, reason })),
    });
    checkMs('frozenMs', frozenMs);
    if (frozenMs > 0)
      this.#heartbeat = new Heartbeat(this.#mesh, frozenMs, (frozen) => void this.#thaw(frozen));
  }

  /** Threads are numbered in the order of `plans`, from 2; 0 is the main thread and 1 the control thread. */
  static async start(plans: readonly ThreadPlan[], options: SystemOptions = {}): Promise<System> {
    const system = new System(plans, options);
    const { main, workers, load } = system.#mesh;
    const mainActor = await startThreadActor(main, 0, load);
    main.onCrash = (cell, error) => {
      if (cell.id === mainActor) system.#fail(new ThreadLost({ thread: 'main', reason: error.message }));
    };
    main.onVitalLost = (actor, reason) => system.#fail(new Escalated({ actor, reason }));
    try {
      await Promise.all(workers.map((place) => system.#mesh.startWorker(place)));
      await system.#mesh.joinAll();
      system.#heartbeat?.start();
    } catch (error) {
      await system.stop('it could not start');
      throw error;
    }
    return system;
  }

  /** The thread that the caller runs on, with its own actors. */
  get main(): Thread {
    return this.#mesh.main;
  }

  /** Rejects with what the actor's start threw, `AskTimeout`, `NameTaken`, `BadArgument` or `ThreadLost`. */
  spawn(options: SpawnOptions): Promise<ActorId> {
    const deadlineMs = spawnedWithinMs(options);
    return this.ask<ActorId>(DIRECTORY, { type: 'spawn', options }, { band: Band.reserved, deadlineMs });
  }

  tell(to: ActorId, message: Message, options?: TellOptions): boolean {
    if (this.#failure !== undefined || this.#stopping !== undefined) return false;
    const band = options?.band ?? Band.user;
    return this.main.router.tell(threadActor(MAIN_THREAD), to, message, band, options?.transfer);
  }

  ask<T>(to: ActorId, message: Message, options: AskOptions = {}): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#stopping !== undefined) {
      return Promise.reject(new SystemStopped({ what: `the ask ${String(message?.type)}` }));
    }
    return this.main.router.ask<T>(threadActor(MAIN_THREAD), to, message, options);
  }

  /** The actor of a name; undefined if there is none. */
  async lookup(name: string): Promise<ActorId | undefined> {
    const id = await this.ask<ActorId>(DIRECTORY, { type: 'lookup', name }, { band: Band.reserved });
    return id === NOBODY ? undefined : id;
  }

  /** Why an actor ended, once it has. A loss of its thread from which it comes back is no end. Never rejects. */
  ended(id: ActorId, name: string): Promise<string> {
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    const options = { band: Band.reserved, deadlineMs: LIFETIME_MS };
    const end = this.ask<string>(DIRECTORY, { type: 'outlive', id, name }, options)
      .catch((error: unknown) =>
        error instanceof ActorEnded ? error.detail.reason : asTroupeError(error).message,
      )
      .finally(() => this.#ends.delete(id));
    this.#ends.set(id, end);
    return end;
  }

  /** Ends an actor, if it has not ended. Settles when its own `stop` has; its name is free then. */
  async stopActor(id: ActorId, reason: string): Promise<void> {
    const deadlineMs = 2 * (ACTOR_STOP_MS + ASK_DEADLINE_MS);
    await this.ask(DIRECTORY, { type: 'stop', id, reason }, { band: Band.reserved, deadlineMs });
  }

  /** Everything that can be seen without asking anyone. */
  inspect(): SystemReport {
    const now = this.main.clock.now();
    const { places } = this.#mesh;
    return {
      threads: places.map(({ number, name, joined, board, life }) => ({
        number,
        name,
        alive: joined,
        sinceSliceMs: board.sinceSlice(now),
        deadLetters: board.deadLetters,
        restarts: life,
      })),
      actors: places.flatMap((place) => readActors(place.board, place, now)),
    };
  }

  async peek(id: ActorId, preview = false): Promise<PeekReport> {
    if (threadOf(id) >= this.#mesh.places.length) {
      throw new ActorEnded({ actor: `actor ${id}`, reason: 'no actor lives at this address' });
    }
    return this.ask(threadActor(threadOf(id)), { type: 'peek', id, preview }, { band: Band.reserved });
  }

  /** Probes of all threads. Answers the function that unsubscribes. */
  onProbe(listener: (probe: Probe) => void): () => void {
    return this.main.probes.on(listener);
  }

  /** Messages as they come and go, on all threads, until it has ended or the answer is called. Throws `TooManyTraces`. */
  trace(options: TraceOptions, listener: TraceListener): () => void {
    return this.#traces.begin(options, listener);
  }

  /** Ends a thread at once, as a crash would: for tests of what must survive it. */
  async terminateThread(number: number): Promise<void> {
    await this.#mesh.places[number]?.worker?.terminate();
  }

  /** Stops the threads: those that host actors first, then those given before them, the control thread last. */
  stop(reason = 'the system stopped'): Promise<void> {
    this.#stopping ??= this.#stop(reason);
    return this.#stopping;
  }

  async #stop(reason: string): Promise<void> {
    this.#traces.endAll();
    const { main, control, workers } = this.#mesh;
    this.#heartbeat?.stop();
    const settled = this.#recovery.stop();
    for (const place of workers) if (!place.up) void place.worker?.terminate();
    await settled;
    const others = workers.filter((place) => place !== control);
    for (const level of [others.filter(({ host }) => host), others.filter(({ host }) => !host), [control]]) {
      await Promise.all(level.map((place) => this.#leave(place, reason)));
    }
    await main.stopAll(reason);
  }

  async #leave(place: Place, reason: string): Promise<void> {
    const { worker } = place;
    if (worker === undefined) return;
    await worker.stop(reason);
    gone(place);
    await this.#mesh.part(place, reason);
  }

  /** A thread is frozen: says who did it, and replaces the thread. One with native work in it is never ended. */
  async #thaw({ place, forMs, culprit }: Frozen): Promise<void> {
    const { worker, name: thread, host } = place;
    const message = culprit && (culprit.inHand?.type ?? 'start');
    const probe = { name: 'actor.frozen', actor: culprit?.name, thread, message, forMs };
    this.main.probes.emit(probe);
    if (!host || worker === undefined) return;
    const does = culprit === undefined ? 'what is no handler ran' : `${culprit.name} handled ${message}`;
    const reason = `it was frozen for ${duration(forMs)} while ${does}`;
    if (culprit !== undefined) {
      const did = `it froze its thread for ${duration(forMs)} while it handled ${message}`;
      const froze = { type: 'froze', id: culprit.id, reason: did };
      await this.ask(DIRECTORY, froze, { band: Band.reserved }).catch(() => {});
    }
    if (place.worker !== worker || this.#stopping !== undefined) return;
    place.doom = reason;
    await worker.terminate();
  }

  /** The system cannot go on: everything pending fails, and everything asked from now on. */
  #fail(error: TroupeError<{ reason: string }>): void {
    if (this.#failure !== undefined || this.#stopping !== undefined) return;
    this.#failure = error;
    this.main.probes.emit({ name: 'system.failed', ...error.detail });
    this.main.asks.failAll(error);
    this.onFailure?.(error);
    void this.stop(error.detail.reason);
  }
}
