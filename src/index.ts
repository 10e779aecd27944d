/**
 * Troupe: many minds in one process, on one native context. Start here.
 *
 * A turn goes: `Mind.turn` (mind.ts) asks the mind actor (actors/mind/mind.ts), which asks the broker for a lane
 * (actors/broker/broker.ts) and sends a run to the engine (actors/engine/engine.ts), which steps
 * (actors/engine/stepper.ts) through one native call (native/src).
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { EngineArgs, EngineReady } from './actors/engine/protocol.js';
import { createStatus, type LaneReport, readLanes, readStatus, Status } from './actors/engine/status.js';
import { attachVocab, detachVocab } from './actors/engine/vocab.js';
import type { MindArgs } from './actors/mind/protocol.js';
import { BadArgument, ModelTooLarge, NameTaken, SystemStopped } from './errors.js';
import { Mind, type Stage } from './mind.js';
import type { ModelHeader } from './native/addon.js';
import {
  type CheckedTroupeOptions,
  checkMindOptions,
  checkText,
  checkTroupeOptions,
  fitContext,
  type MindOptions,
  type TroupeOptions,
} from './options.js';
import { Reader } from './reader.js';
import { type ActorId, NOBODY } from './runtime/address.js';
import type { SystemReport } from './runtime/inspect.js';
import { Offload } from './runtime/offload.js';
import type { Probe } from './runtime/probes.js';
import { System } from './runtime/system.js';
import type { PeekReport } from './runtime/thread-actor.js';
import { CONTROL_THREAD, MAIN_THREAD } from './runtime/well-known.js';

export type { TurnClass } from './actors/broker/protocol.js';
export type { Sampling } from './actors/engine/sampling.js';
export type { LaneReport } from './actors/engine/status.js';
export type { Outcome, Receipt, RunReceipt } from './actors/mind/protocol.js';
export * from './errors.js';
export type { Mind } from './mind.js';
export type { MindOptions, Progress, TroupeOptions, TurnOptions } from './options.js';
export type { ActorReport, SystemReport, ThreadReport } from './runtime/inspect.js';
export type { Probe } from './runtime/probes.js';
export type { PeekReport } from './runtime/thread-actor.js';
export type { Piece, Turn, TurnResult } from './turn.js';

/** Rows of one step: enough that a prompt alone runs at full speed. */
const STEP_ROWS = 512;
/** Loading a model from a slow disk takes minutes. */
const LOAD_MS = 1_800_000;
const HEADER_MS = 30_000;
/** How often a load's progress is looked at. */
const PROGRESS_MS = 50;
/** Bytes that buffers for one step take, for each row and each place of embedding and vocabulary; an upper guess. */
const COMPUTE_BYTES = 64 * 2 ** 20;

const ENGINE_THREAD = 2;
const module = (path: string): string => new URL(path, import.meta.url).href;

/** What `inspect` shows: the actors and threads, the lanes, and the engine's counters. */
export interface TroupeReport extends SystemReport {
  readonly lanes: readonly LaneReport[];
  readonly tokens: { readonly processed: number; readonly produced: number };
  readonly steps: number;
}

export class Troupe implements AsyncDisposable {
  readonly #system: System;
  readonly #status: Int32Array;
  readonly #offload: Offload;
  readonly #reader = new Reader();
  readonly #options: CheckedTroupeOptions;
  readonly #minds = new Map<string, Mind>();
  #stage: Stage | undefined;
  #mindArgs: Omit<MindArgs, 'name' | 'system' | 'sampling' | 'class'> | undefined;
  #turns = 0;
  #stopped: Promise<void> | undefined;

  private constructor(system: System, offload: Offload, options: CheckedTroupeOptions) {
    this.#system = system;
    this.#offload = offload;
    this.#options = options;
    this.#status = createStatus(options.lanes);
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
        module('./jobs/model-header.js'),
        checked.model,
        HEADER_MS,
      );
      const { context, cells } = fitContext(checked, header.contextTrain);
      checkMemory(checked, header, cells);
      makeDir(checked.dir);
      checked.onProgress({ stage: 'threads', fraction: 0 });
      const hosts = Array.from({ length: checked.hosts }, (_, i) => ({ name: `host-${i}`, host: true }));
      const system = await System.start([{ name: 'engine', host: false }, ...hosts]);
      troupe = new Troupe(system, offload, checked);
      await troupe.#open(context, cells);
      return troupe;
    } catch (error) {
      await (troupe === undefined ? offload.close() : troupe.stop());
      throw error;
    }
  }

  /** Makes a mind. Rejects with `NameTaken`, `BadArgument`, or `ContextFull` when its system prompt cannot fit. */
  async mind(name: string, options?: MindOptions): Promise<Mind> {
    checkText(name, 'name');
    const checked = checkMindOptions(options);
    if (this.#stage === undefined || this.#mindArgs === undefined || this.#stopped !== undefined) {
      throw new SystemStopped({ what: `the mind ${name}` });
    }
    const args: MindArgs = { ...this.#mindArgs, name, ...checked };
    try {
      const id = await this.#system.spawn({
        name: `mind/${name}`,
        module: module('./actors/mind/mind.js'),
        args,
      });
      const mind = new Mind(name, id, this.#stage);
      this.#minds.set(name, mind);
      return mind;
    } catch (error) {
      if (error instanceof NameTaken) throw new NameTaken({ name });
      throw error;
    }
  }

  /** Everything that can be seen now; reads shared memory and asks nobody, so it works while threads are busy. */
  inspect(): TroupeReport {
    return {
      ...this.#system.inspect(),
      lanes: readLanes(this.#status),
      tokens: {
        processed: readStatus(this.#status, Status.processed),
        produced: readStatus(this.#status, Status.produced),
      },
      steps: readStatus(this.#status, Status.steps),
    };
  }

  /** What is queued at an actor, asked of its thread; `preview`: with the shape of each message, texts redacted. */
  async peek(actorId: ActorId, options: { preview?: boolean } = {}): Promise<PeekReport> {
    if (!Number.isSafeInteger(actorId) || actorId <= NOBODY) {
      throw new BadArgument({
        argument: 'actorId',
        value: actorId,
        expected: 'the id of an actor, from inspect()',
      });
    }
    return this.#system.peek(actorId, options.preview === true);
  }

  /** Structured events of all threads, as they happen (`turn.waiting`, `actor.crashed`, `thread.lost`, ...). */
  onProbe(listener: (probe: Probe) => void): () => void {
    return this.#system.onProbe(listener);
  }

  /** Ends all minds and threads, by protocol. Turns in flight end `aborted`. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    Atomics.store(this.#status, Status.cancel, 1);
    await Promise.allSettled([...this.#minds.values()].map((mind) => mind.leave()));
    Atomics.store(this.#status, Status.abort, 1);
    await this.#system.stop('the troupe stopped');
    await this.#offload.close();
    if (this.#mindArgs !== undefined) detachVocab(this.#mindArgs.model);
  }

  /** Starts the actors that every turn needs. */
  async #open(context: number, cells: number): Promise<void> {
    const { model, lanes, threads, onProgress } = this.#options;
    const system = this.#system;
    const broker = await system.spawn({
      name: 'broker',
      module: module('./actors/broker/broker.js'),
      args: {},
      thread: CONTROL_THREAD,
    });
    const rows = Math.max(lanes, Math.min(STEP_ROWS, cells));
    const args: EngineArgs = {
      model,
      mmap: false,
      gpuLayers: 0,
      lanes,
      cells,
      context,
      rows,
      threads,
      promptThreads: threads,
      flashAttention: true,
      broker,
      status: this.#status,
    };
    const watch = setInterval(() => {
      onProgress({ stage: 'model', fraction: readStatus(this.#status, Status.progress) / 1000 });
    }, PROGRESS_MS);
    let engine: ActorId;
    try {
      engine = await system.spawn({
        name: 'engine',
        module: module('./actors/engine/engine.js'),
        args,
        thread: ENGINE_THREAD,
        startMs: LOAD_MS,
      });
    } finally {
      clearInterval(watch);
    }
    const ready = await system.ask<EngineReady>(engine, { type: 'ready' });
    // The main thread holds the weights too, so that they outlive a crash of the engine's thread.
    attachVocab(ready.model);
    const modelName = basename(model);
    const readerId = await system.main.spawn(this.#reader.definition, {
      name: 'reader',
      module: '',
      args: undefined,
      thread: MAIN_THREAD,
    });
    this.#mindArgs = { model: ready.model, modelName, context, engine, broker };
    this.#stage = { system, reader: this.#reader, readerId, modelName, nextTurn: () => ++this.#turns };
    onProgress({ stage: 'ready', fraction: 1 });
  }
}

/** Refuses a model whose weights and context exceed the budget, before anything is loaded. */
function checkMemory(options: CheckedTroupeOptions, header: ModelHeader, cells: number): void {
  const needBytes = header.weightBytes + cells * header.cellBytes + COMPUTE_BYTES;
  if (needBytes <= options.hostBytes) return;
  throw new ModelTooLarge({ path: options.model, needBytes, budgetBytes: options.hostBytes });
}

function makeDir(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    chmodSync(dir, 0o700);
  } catch (error) {
    throw new BadArgument({
      argument: 'options.dir',
      value: dir,
      expected: `a folder that can be made (${(error as Error).message})`,
    });
  }
}
