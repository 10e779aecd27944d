/**
 * Options of the public face: their defaults and why, and their check. Every wrong one is a `BadArgument` that says
 * what would be right.
 */
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSampling, type Sampling } from './actors/engine/sampling.js';
import { checkStops } from './actors/engine/stops.js';
import { ON_RECLAIM, type OnReclaim } from './actors/mind/protocol.js';
import type { NamedGene } from './actors/residency/protocol.js';
import {
  checkCallback,
  checkFields,
  checkFlag,
  checkMs,
  checkOneOf,
  checkRoom,
  checkText,
  checkWhole,
} from './check.js';
import { BadArgument } from './errors.js';
import { checkGenes } from './genes.js';
import { type CheckedMemoryOptions, checkMemoryOptions, type MemoryOptions } from './memory-options.js';
import { defaultPageDir } from './page-folder.js';
import { userNumber } from './user.js';

export interface Progress {
  readonly stage: 'threads' | 'model' | 'ready';
  /** Of the stage, 0 to 1. */
  readonly fraction: number;
}

export interface GeneOptions {
  /** What minds run that name no genes; their names mean what is loaded under them by then. */
  readonly default?: readonly NamedGene[];
  /** Genes that the device holds at one time, ready for lanes; default: all that are loaded. */
  readonly slots?: number;
  /** Bytes that the host holds of the others, the rest being in their files alone; default: a quarter of `memory.host`. */
  readonly hostBytes?: number;
}

export interface TroupeOptions {
  /** Path of a GGUF model; default: the embedded one. */
  readonly model?: string;
  /** Minds that can decode at one time, 1 to 256; default 4. */
  readonly lanes?: number;
  /** Tokens that one lane may hold; default: what the model was trained for, at most 4,096. */
  readonly context?: number;
  /** KV places shared by all lanes; default lanes x context. */
  readonly cells?: number;
  /** Threads that decode; default: one for each 64 MiB of weights, as far as there are cores. */
  readonly threads?: number;
  /** Threads that minds live on; default: one for every 4 cores. */
  readonly hosts?: number;
  /** Budgets in bytes, and where pages go (docs/memory.md). */
  readonly memory?: MemoryOptions;
  readonly genes?: GeneOptions;
  /** Folder of this process's data, made for its owner only; default: one in the user's runtime folder, or a temporary one. */
  readonly dir?: string;
  /** Milliseconds without a turn after which a mind frees its memory until the next one; default 60,000. */
  readonly passivateAfter?: number;
  readonly onProgress?: (progress: Progress) => void;
}

export interface TurnOptions {
  /** Rooms of one mind have transcripts of their own; default `main`. */
  readonly room?: string;
  readonly signal?: AbortSignal;
  /** Most tokens of the reply, as far as its lane has room for them; default: a quarter of the context. */
  readonly maxTokens?: number;
  /** What this turn runs; default: the mind's; empty: the model as it is. */
  readonly genes?: readonly NamedGene[];
  readonly sampling?: Sampling;
  /** Strings that end the reply; they are not part of it. */
  readonly stop?: string | readonly string[];
  /** When its lane is taken back: it goes on later (the default), or ends `reclaimed` with what there is. */
  readonly onReclaim?: OnReclaim;
  /** Milliseconds from the call, queueing included; default one hour. */
  readonly deadline?: number;
}

export const DEFAULT_MODEL = fileURLToPath(new URL('../models/parlour-5m-Q8_0.gguf', import.meta.url));
const DEFAULT_LANES = 4;
/** Small enough that the KV of a large model fits; who wants more says so. */
const DEFAULT_CONTEXT = 4_096;
/** Most threads that decode helps from: memory bandwidth is used up before. */
const MOST_THREADS = 8;
/** Weights that are worth one thread: with less, threads wait for one another longer than they compute. */
const BYTES_A_THREAD = 64 * 2 ** 20;
const DEFAULT_DEADLINE_MS = 3_600_000;
/** Longer than a pause in a conversation, so that who is spoken to stays awake. */
const DEFAULT_PASSIVATE_MS = 60_000;
/** More than any memory holds. */
const MOST_GENES = 2 ** 20;
/** Of the host's memory, for genes that are out of the way. */
const GENE_SHARE = 1 / 4;
/** `weightBytes` of the model; a small one decodes fastest on one thread. */
export function defaultThreads(weightBytes: number, cores = availableParallelism()): number {
  const worth = Math.max(1, Math.floor(weightBytes / BYTES_A_THREAD));
  return Math.min(worth, MOST_THREADS, cores < 4 ? cores : cores - 1);
}

export const defaultHosts = (cores = availableParallelism()): number => Math.max(1, Math.floor(cores / 4));

/** Default data folder: the user's runtime folder, else one of their own in the temporary folder. */
export const defaultDir = (): string =>
  process.env.XDG_RUNTIME_DIR
    ? join(process.env.XDG_RUNTIME_DIR, 'troupe')
    : join(tmpdir(), `troupe-${userNumber() ?? 'data'}`);

export interface CheckedGeneOptions {
  readonly default: readonly NamedGene[];
  readonly slots: number | undefined;
  readonly hostBytes: number;
}

export interface CheckedTroupeOptions extends CheckedMemoryOptions {
  readonly model: string;
  readonly lanes: number;
  readonly context: number | undefined;
  readonly cells: number | undefined;
  readonly threads: number | undefined;
  readonly hosts: number;
  readonly genes: CheckedGeneOptions;
  readonly dir: string;
  readonly passivateMs: number;
  readonly onProgress: (progress: Progress) => void;
}

export function checkTroupeOptions(options: unknown): CheckedTroupeOptions {
  const given = checkFields<TroupeOptions>(options, 'options', [
    'model',
    'lanes',
    'context',
    'cells',
    'threads',
    'hosts',
    'memory',
    'genes',
    'dir',
    'passivateAfter',
    'onProgress',
  ]);
  const dir = checkText(given.dir, 'options.dir', defaultDir());
  const ownPageDir = given.dir === undefined ? defaultPageDir(dir) : join(dir, 'pages');
  const memory = checkMemoryOptions(given.memory, ownPageDir);
  return {
    model: checkText(given.model, 'options.model', DEFAULT_MODEL),
    lanes: checkWhole(given.lanes, 'options.lanes', 1, 256) ?? DEFAULT_LANES,
    context: checkWhole(given.context, 'options.context', 16, 2 ** 24),
    cells: checkWhole(given.cells, 'options.cells', 16, 2 ** 30),
    threads: checkWhole(given.threads, 'options.threads', 1, 256),
    hosts: checkWhole(given.hosts, 'options.hosts', 1, 64) ?? defaultHosts(),
    ...memory,
    genes: checkGeneOptions(given.genes, memory.hostBytes),
    dir,
    passivateMs: checkMs(given.passivateAfter, 'options.passivateAfter') ?? DEFAULT_PASSIVATE_MS,
    onProgress:
      given.onProgress === undefined ? () => {} : checkCallback(given.onProgress, 'options.onProgress'),
  };
}

function checkGeneOptions(options: unknown, hostBytes: number): CheckedGeneOptions {
  const where = 'options.genes';
  const given = checkFields<GeneOptions>(options, where, ['default', 'slots', 'hostBytes']);
  const active = checkGenes(given.default, `${where}.default`) ?? [];
  return {
    default: active,
    slots: checkWhole(given.slots, `${where}.slots`, Math.max(1, active.length), MOST_GENES),
    hostBytes:
      checkWhole(given.hostBytes, `${where}.hostBytes`, 0, Number.MAX_SAFE_INTEGER) ??
      Math.floor(hostBytes * GENE_SHARE),
  };
}

/** The context and cells of a model that was trained for `trained` tokens. */
export function fitContext(
  options: Pick<CheckedTroupeOptions, 'lanes' | 'context' | 'cells'>,
  trained: number,
): { readonly context: number; readonly cells: number } {
  const context = options.context ?? Math.min(trained || DEFAULT_CONTEXT, DEFAULT_CONTEXT);
  if (trained > 0 && context > trained) {
    const expected = `at most ${trained}, which the model was trained for`;
    throw new BadArgument({ argument: 'options.context', value: context, expected });
  }
  const cells = options.cells ?? options.lanes * context;
  if (cells < context) {
    const expected = `at least the context of one lane, ${context}`;
    throw new BadArgument({ argument: 'options.cells', value: cells, expected });
  }
  if (cells < options.lanes) {
    const expected = `at least one for each of ${options.lanes} lanes`;
    throw new BadArgument({ argument: 'options.cells', value: cells, expected });
  }
  return { context, cells };
}

export interface CheckedTurnOptions {
  readonly room: string;
  readonly signal: AbortSignal | undefined;
  readonly maxTokens: number | undefined;
  readonly genes: readonly NamedGene[] | undefined;
  readonly sampling: Sampling;
  readonly stops: readonly string[];
  readonly onReclaim: OnReclaim;
  readonly deadlineMs: number;
}

export function checkTurnOptions(options: unknown): CheckedTurnOptions {
  const given = checkFields<TurnOptions>(options, 'options', [
    'room',
    'signal',
    'maxTokens',
    'genes',
    'sampling',
    'stop',
    'onReclaim',
    'deadline',
  ]);
  const room = checkRoom(given.room, 'options.room');
  if (given.signal !== undefined && !(given.signal instanceof AbortSignal)) {
    throw new BadArgument({ argument: 'options.signal', value: given.signal, expected: 'an AbortSignal' });
  }
  return {
    room,
    signal: given.signal,
    maxTokens: checkWhole(given.maxTokens, 'options.maxTokens', 1, 2 ** 31 - 1),
    genes: checkGenes(given.genes, 'options.genes'),
    sampling: checkSampling(given.sampling, 'options.sampling'),
    stops: checkStops(given.stop, 'options.stop'),
    onReclaim: checkOneOf(given.onReclaim, 'options.onReclaim', ON_RECLAIM, 'resume'),
    deadlineMs: checkMs(given.deadline, 'options.deadline') ?? DEFAULT_DEADLINE_MS,
  };
}

export interface PeekOptions {
  /** With the shape of each message, texts redacted. */
  readonly preview?: boolean;
}

/** Whether previews are wanted. */
export function checkPeekOptions(options: unknown): boolean {
  const { preview } = checkFields<PeekOptions>(options, 'options', ['preview']);
  return checkFlag(preview, 'options.preview');
}
