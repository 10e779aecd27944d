/**
 * Troupe: many minds in one process, on one native context. Start here.
 *
 * A turn goes: `Mind.turn` (mind.ts) asks the mind actor (actors/mind/mind.ts), which asks the broker for a lane
 * (actors/broker/broker.ts) and sends a run to the engine (actors/engine/engine.ts), which steps
 * (actors/engine/stepper.ts) through one native call (native/src).
 */
import { type ActorOptions, checkActor } from './actor-options.js';
import type { MemoryReport } from './actors/broker/memory-report.js';
import type { Shape } from './actors/engine/protocol.js';
import { createStatus, readLanes, Status } from './actors/engine/status.js';
import type { MindArgs } from './actors/mind/protocol.js';
import { checkCallback, checkText } from './check.js';
import { BadArgument, NameTaken, SystemStopped } from './errors.js';
import { Genes } from './genes.js';
import { memoryOf } from './memory.js';
import { Mind } from './mind.js';
import { checkMindOptions, type MindOptions, mindActorName } from './mind-options.js';
import { openMinds } from './minds.js';
import type { ModelHeader } from './native/addon.js';
import { whyOf } from './observer/answers.js';
import type { Observer } from './observer/server.js';
import {
  type CheckedTroupeOptions,
  checkPeekOptions,
  checkTroupeOptions,
  defaultThreads,
  fitContext,
  type PeekOptions,
  type TroupeOptions,
} from './options.js';
import { Pages } from './paging.js';
import { Relaunches, type RelaunchOptions } from './relaunch.js';
import { reportOf, type TroupeReport } from './report.js';
import { type ActorId, NOBODY } from './runtime/address.js';
import { KnownAs } from './runtime/known-as.js';
import type { Message } from './runtime/message.js';
import { Offload } from './runtime/offload.js';
import type { Probe } from './runtime/probes.js';
import { System } from './runtime/system.js';
import type { PeekReport } from './runtime/thread-actor.js';
import type { Why } from './runtime/why.js';
import { sharesOf } from './shares.js';
import { openObserver, sightOf } from './sight.js';
import { checkMemory, makeDir, moduleUrl, openStage, type Stage } from './stage.js';
import { checkSupervisor, type SupervisorOptions } from './supervisor-options.js';
import { checkTraceOptions, Trace, type TraceOptions } from './trace.js';
import { Actor, Supervisor } from './user-actor.js';

export * from './exports.js';

const HEADER_MS = 30_000;

export class Troupe implements AsyncDisposable {
  /** Adapters that turns may run. */
  readonly genes: Genes;
  /** Contexts of minds that are kept outside of lanes. */
  readonly pages: Pages;
  readonly #system: System;
  readonly #status: Int32Array;
  readonly #offload: Offload;
  readonly #passivateMs: number;
  /** By name: those that are there, and those that ended by themselves until another has the name. */
  readonly #minds = new Map<string, Mind>();
  readonly #relaunches: Relaunches;
  #stage: Stage | undefined;
  #observer: Observer | undefined;
  #forgetMinds: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(system: System, offload: Offload, options: CheckedTroupeOptions, header: ModelHeader) {
    this.#system = system;
    this.#offload = offload;
    this.#passivateMs = options.passivateMs;
    this.genes = new Genes(() => this.#open('its genes'));
    this.pages = new Pages(() => this.#open('its pages'), this.#minds);
    this.#status = createStatus();
    this.#relaunches = new Relaunches(options, header, this.#status);
  }

  /**
   * Starts the threads and loads the model. Rejects with `BadArgument`, `ModelNotFound`, `NotAModel`,
   * `ModelTruncated`, `ModelUnsupported`, `ModelTooLarge`, `AddonMissing` or `NativeFailure`; nothing is left running.
   */
  static async start(options?: TroupeOptions): Promise<Troupe> {
    const checked = checkTroupeOptions(options);
    const offload = new Offload();
    let troupe: Troupe | undefined;
    try {
      const header = await offload.run<ModelHeader>(
        moduleUrl('./jobs/model-header.js'),
        checked.model,
        HEADER_MS,
      );
      const { context, cells } = fitContext(checked, header.contextTrain);
      const leftBytes = checkMemory(checked, header, cells);
      const shares = sharesOf(checked, leftBytes);
      makeDir(checked.dir);
      checked.onProgress({ stage: 'threads', fraction: 0 });
      const hosts = Array.from({ length: checked.hosts }, (_, i) => ({ name: `host-${i}`, host: true }));
      const system = await System.start([{ name: 'engine', host: false }, ...hosts]);
      troupe = new Troupe(system, offload, checked, header);
      const { observer, failed } = await openObserver(system, troupe.#status, checked.dir);
      troupe.#observer = observer;
      const threads = checked.threads ?? defaultThreads(header.weightBytes);
      troupe.#stage = await openStage(
        system,
        checked,
        { context, cells, threads, ...shares },
        troupe.#status,
      );
      const minds = troupe.#minds;
      troupe.#forgetMinds = await openMinds(system, (called) => minds.get(called));
      checked.onProgress({ stage: 'ready', fraction: 1 });
      // Behind the caller's first chance to listen.
      if (failed !== undefined) setImmediate(() => system.main.probes.emit(failed));
      return troupe;
    } catch (error) {
      await (troupe === undefined ? offload.close() : troupe.stop());
      throw error;
    }
  }

  /** Makes a mind. Rejects with `NameTaken`, `BadArgument`, or `ContextFull` when its system prompt cannot fit. */
  async mind(name: string, options?: MindOptions): Promise<Mind> {
    const actorName = mindActorName(name);
    const checked = checkMindOptions(options);
    const stage = this.#open(`the mind ${name}`);
    const genes = checked.genes ?? stage.mindArgs.genes;
    const args: MindArgs = { ...stage.mindArgs, name, ...checked, genes };
    try {
      const id = await this.#system.spawn({
        name: actorName,
        module: moduleUrl('./actors/mind/mind.js'),
        args,
        passivateMs: this.#passivateMs,
      });
      const mind = new Mind(name, id, stage, () => {
        if (this.#minds.get(name) === mind) this.#minds.delete(name);
      });
      this.#minds.set(name, mind);
      return mind;
    } catch (error) {
      if (error instanceof NameTaken) throw new NameTaken({ name });
      throw error;
    }
  }

  /**
   * Starts an actor of the user's own, from a module whose default export is its definition (docs/actors.md). Rejects with
   * `NameTaken`, `BadArgument`, or with what its start threw.
   */
  async actor<M extends Message = Message>(
    name: string,
    module: string | URL,
    options?: ActorOptions,
  ): Promise<Actor<M>> {
    const checked = checkActor(name, module, options);
    return new Actor<M>(name, await this.#system.spawn(checked), this.#system);
  }

  /**
   * Starts a supervisor with its children, in order (docs/actors.md). Rejects as `actor` does; when one child cannot
   * start, those before it end.
   */
  async supervisor(name: string, options?: SupervisorOptions): Promise<Supervisor> {
    const checked = checkSupervisor(name, options);
    return new Supervisor(name, await this.#system.spawn(checked), this.#system);
  }

  /** The actor of a name, as `actor` answered it; undefined if there is none. */
  async lookup<M extends Message = Message>(name: string): Promise<Actor<M> | undefined> {
    const id = await this.#system.lookup(checkText(name, 'name'));
    return id === undefined ? undefined : new Actor<M>(name, id, this.#system);
  }

  /**
   * Makes the native context anew with other numbers, when the turns that run have ended; no other begins meanwhile. Minds go
   * on from their pages. Answers the numbers that it has. Rejects with `BadArgument`, `ModelTooLarge`, `DeadlineExceeded`,
   * `NativeFailure` or `EngineLost`; the context is then as it was.
   */
  async relaunch(options?: RelaunchOptions): Promise<Shape> {
    return this.#relaunches.ask(this.#open('the relaunch'), options);
  }

  /** The memory budget: pools, leases with their floors, pressure, and what was said of it. */
  async memory(): Promise<MemoryReport> {
    return memoryOf(this.#open('its memory'), this.#minds.values());
  }

  /** Everything that can be seen now; reads shared memory and asks nobody, so it works while threads are busy. */
  inspect(): TroupeReport {
    return reportOf(this.#system, this.#status);
  }

  /**
   * Why an actor does not go on: who waits for whom, and who must do what, in a sentence. `name` is a mind's, or that of
   * any actor in `inspect()`. Asks nobody. Throws `NoSuchActor`.
   */
  why(name: string): Why {
    const sight = sightOf(this.#system.inspect(), readLanes(this.#status));
    return whyOf(sight, new KnownAs(sight.actors), checkText(name, 'name'));
  }

  /** What is queued at an actor, asked of its thread. Rejects with `ActorEnded` when there is no such actor. */
  async peek(actorId: ActorId, options?: PeekOptions): Promise<PeekReport> {
    const preview = checkPeekOptions(options);
    if (!Number.isSafeInteger(actorId) || actorId <= NOBODY) {
      throw new BadArgument({
        argument: 'actorId',
        value: actorId,
        expected: 'the id of an actor, from inspect()',
      });
    }
    return this.#system.peek(actorId, preview);
  }

  /**
   * Messages as they come and go, on all threads: `for await (const event of troupe.trace({ actor: 'ada' }))`. Limited in
   * rate, and ends by itself or by `break`. Throws `BadArgument`, `NoSuchActor` or `TooManyTraces`.
   */
  trace(options?: TraceOptions): Trace {
    const order = checkTraceOptions(options, () => new KnownAs(this.#system.inspect().actors));
    return new Trace(this.#system, order);
  }

  /** What happens on all threads (docs/probes.md). Answers the function that unsubscribes. */
  onProbe(listener: (probe: Probe) => void): () => void {
    return this.#system.onProbe(checkCallback<Probe>(listener, 'listener'));
  }

  /** Ends all minds and threads, by protocol. Turns in flight end `aborted`. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #open(what: string): Stage {
    if (this.#stage === undefined || this.#stopped !== undefined) throw new SystemStopped({ what });
    return this.#stage;
  }

  async #stop(): Promise<void> {
    Atomics.store(this.#status, Status.cancel, 1);
    await Promise.allSettled([...this.#minds.values()].map((mind) => mind.leave()));
    Atomics.store(this.#status, Status.abort, 1);
    const pages = (await this.#stage?.pages()) ?? [];
    await this.#system.stop('the troupe stopped');
    this.#observer?.close();
    await this.#offload.close();
    this.#stage?.close(pages);
    this.#forgetMinds?.();
  }
}
