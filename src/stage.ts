/**
 * The stage: the actors and weights that every turn of one process needs, set up in order.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { BrokerArgs, PageList } from './actors/broker/protocol.js';
import { allowPages, disallowPages } from './actors/engine/ceilings.js';
import { releasePages } from './actors/engine/pages.js';
import type { EngineArgs } from './actors/engine/protocol.js';
import type { EngineReady } from './actors/engine/ready.js';
import { readStatus, Status } from './actors/engine/status.js';
import { attachVocab, detachVocab } from './actors/engine/vocab.js';
import type { MindArgs } from './actors/mind/protocol.js';
import type { PagerArgs } from './actors/pager/protocol.js';
import type { ResidencyArgs } from './actors/residency/protocol.js';
import { BadArgument, ModelTooLarge } from './errors.js';
import type { ModelHeader } from './native/addon.js';
import type { CheckedTroupeOptions } from './options.js';
import { notOwn } from './pages/own-folder.js';
import { Reader } from './reader.js';
import type { ActorId } from './runtime/address.js';
import type { System } from './runtime/system.js';
import { CONTROL_THREAD, MAIN_THREAD } from './runtime/well-known.js';
import type { Shares } from './shares.js';

/** Rows of one step: enough that a prompt alone runs at full speed. */
const STEP_ROWS = 512;
/** Loading a model from a slow disk takes minutes. */
const LOAD_MS = 1_800_000;
/** How often a load's progress is looked at. */
const PROGRESS_MS = 50;
/** Thousands of pages may have to go; one that a disk does not let go of by then stays there. */
const LOANS_MS = 30_000;
/** Bytes for the buffers of one step, before they are measured. */
const COMPUTE_BYTES = 64 * 2 ** 20;

export const ENGINE_THREAD = 2;

export interface Stage {
  readonly system: System;
  readonly reader: Reader;
  readonly readerId: ActorId;
  readonly pager: ActorId;
  readonly residency: ActorId;
  readonly modelName: string;
  /** What every mind is told beside its own options; the genes where it names none. */
  readonly mindArgs: Omit<MindArgs, 'plainSystem' | 'name' | 'system' | 'sampling' | 'class'>;
  nextTurn(): number;
  /** When all minds have left: has pages removed that are on disk only for memory's sake; answers those to be freed at the end. */
  pages(): Promise<PageList>;
  close(pages: PageList): void;
}

/** What the model's header decides, where the options leave it open. */
export interface Fit extends Shares {
  readonly context: number;
  readonly cells: number;
  readonly threads: number;
}

/** A troupe that has lost one of its own for good fails as a whole: its turns would wait for it until their deadlines. */
const CORE = { thread: CONTROL_THREAD, vital: true } as const;

export const moduleUrl = (path: string): string => new URL(path, import.meta.url).href;

/** Starts broker and engine, which loads the model. Rejects with what the load throws. */
export async function openStage(
  system: System,
  options: CheckedTroupeOptions,
  fit: Fit,
  status: Int32Array,
): Promise<Stage> {
  const broker = await system.spawn({
    name: 'broker',
    module: moduleUrl('./actors/broker/broker.js'),
    args: brokerArgs(options, fit, status),
    ...CORE,
  });
  const args = engineArgs(options, fit, broker, status);
  const engine = await startEngine(system, options, args);
  const ready = await system.ask<EngineReady>(engine, { type: 'ready' });
  const residency = await system.spawn({
    name: 'residency',
    module: moduleUrl('./actors/residency/residency.js'),
    args: residencyArgs(options, ready.model, { engine, broker }),
    ...CORE,
  });
  // The main thread holds the weights too, so that they outlive a crash of the engine's thread.
  attachVocab(ready.model);
  const pager = await system.spawn({
    name: 'pager',
    module: moduleUrl('./actors/pager/pager.js'),
    args: {
      ...{ broker, engine, residency, dir: options.pageDir, diskBytes: options.diskBytes },
      fingerprint: ready.fingerprint,
    } satisfies PagerArgs,
    ...CORE,
  });
  const reader = new Reader();
  const readerId = await system.main.spawn(reader.definition, {
    name: 'reader',
    module: '',
    args: undefined,
    thread: MAIN_THREAD,
  });
  const modelName = basename(options.model);
  let turns = 0;
  allowPages(args.owner, fit.pageBytes);
  return {
    system,
    reader,
    readerId,
    pager,
    residency,
    modelName,
    mindArgs: {
      model: ready.model,
      modelName,
      limits: status.subarray(Status.context, Status.context + 1),
      engine,
      broker,
      genes: options.genes.default,
    },
    nextTurn: () => ++turns,
    pages: async () => {
      await system.ask(pager, { type: 'end-loans' }, { deadlineMs: LOANS_MS }).catch(() => {});
      return system.ask<PageList>(broker, { type: 'pages' }).catch(() => []);
    },
    close: (pages) => {
      releasePages(args.owner, pages);
      disallowPages(args.owner);
      detachVocab(ready.model);
    },
  };
}

function brokerArgs(options: CheckedTroupeOptions, { pageBytes }: Fit, status: Int32Array): BrokerArgs {
  const { deviceBytes: device, hostBytes: host, diskBytes: disk } = options;
  return { pageBytes, budgets: { device, host, disk }, status };
}

function residencyArgs(
  { genes: { default: active, slots, hostBytes } }: CheckedTroupeOptions,
  model: number,
  peers: { readonly engine: ActorId; readonly broker: ActorId },
): ResidencyArgs {
  return { default: active.map(({ gene }) => gene), slots, hostBytes, model, ...peers };
}

function engineArgs(
  options: CheckedTroupeOptions,
  { context, cells, threads, pageBytes, checkpointBytes }: Fit,
  broker: ActorId,
  status: Int32Array,
): EngineArgs {
  const { model, lanes } = options;
  return {
    model,
    mmap: false,
    gpuLayers: 0,
    shape: { lanes, cells, context },
    rows: STEP_ROWS,
    threads,
    promptThreads: threads,
    flashAttention: true,
    pageBytes,
    checkpointBytes,
    broker,
    owner: randomUUID(),
    status,
  };
}

async function startEngine(
  system: System,
  options: CheckedTroupeOptions,
  args: EngineArgs,
): Promise<ActorId> {
  const end = watchLoad(options.onProgress, args.status);
  let engine: ActorId;
  try {
    engine = await system.spawn({
      name: 'engine',
      module: moduleUrl('./actors/engine/engine.js'),
      args,
      thread: ENGINE_THREAD,
      vital: true,
      startMs: LOAD_MS,
    });
  } catch (error) {
    end();
    throw error;
  }
  end();
  return engine;
}

/** Reports the load's progress until the function it answers is called, which throws what the listener threw. */
function watchLoad(onProgress: CheckedTroupeOptions['onProgress'], status: Int32Array): () => void {
  const thrown: unknown[] = [];
  const report = (): void => {
    try {
      onProgress({ stage: 'model', fraction: readStatus(status, Status.progress) / 1000 });
    } catch (error) {
      thrown.push(error);
      Atomics.store(status, Status.cancel, 1);
    }
  };
  report();
  const timer = setInterval(report, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    if (thrown.length > 0) throw thrown[0];
  };
}

/** Refuses a model whose weights and context exceed a budget, before anything is loaded; answers the bytes left on the host. */
export function checkMemory(options: CheckedTroupeOptions, header: ModelHeader, cells: number): number {
  const { model: path, deviceBytes = Number.POSITIVE_INFINITY, hostBytes } = options;
  const heldBytes = header.weightBytes + cells * header.cellBytes;
  if (heldBytes > deviceBytes) {
    const budget = 'memory.device';
    throw new ModelTooLarge({ path, needBytes: heldBytes, budget, budgetBytes: deviceBytes });
  }
  const needBytes = heldBytes + COMPUTE_BYTES;
  if (needBytes <= hostBytes) return hostBytes - needBytes;
  throw new ModelTooLarge({ path, needBytes, budget: 'memory.host', budgetBytes: hostBytes });
}

/** Makes the folder for its owner only. One that is there is left as it is, but must be this user's own, and no link. */
export function makeDir(dir: string): void {
  let reason: string | undefined;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    reason = notOwn(dir);
  } catch (error) {
    reason = (error as Error).message;
  }
  if (reason === undefined) return;
  throw new BadArgument({
    argument: 'options.dir',
    value: dir,
    expected: `a folder of one's own, or one that can be made (${reason})`,
  });
}
