/**
 * The addon's TypeScript face: the shapes of what C++ offers, and how it is loaded.
 *
 * Every method checks its arguments in C++ before llama.cpp sees them and throws a typed error
 * (`BadArgument`, `NativeFailure`, ...) when one is wrong; none aborts the process. Objects are bound to the
 * thread that made them; the model behind them is shared by the process and reference-counted.
 */

import type { NativePaging, PageStore } from './pages.js';

export interface ModelInfo {
  /** Names the loaded weights in this process; pass it to `attachModel` on another thread. */
  readonly id: number;
  readonly path: string;
  readonly architecture: string;
  readonly description: string;
  readonly parameters: number;
  /** Bytes of all tensors. */
  readonly weightBytes: number;
  readonly contextTrain: number;
  readonly vocabulary: number;
  readonly embedding: number;
  readonly layers: number;
  /**
   * True if the KV of a sequence can be cut back to any position (false: recurrent, hybrid). With a sliding window it can
   * as long as the cells that the window has passed were not needed for others.
   */
  readonly canRollBack: boolean;
  readonly recurrent: boolean;
  readonly hybrid: boolean;
  /** Window in tokens; 0 = none. */
  readonly slidingWindow: number;
  /** True if the vocabulary wants a leading bos that its template may not write. */
  readonly addBos: boolean;
  /** -1 = the vocabulary has none. */
  readonly bos: number;
  readonly eos: number;
  /** The model's chat template (jinja), or null. */
  readonly template: string | null;
}

/** What a GGUF header says, read without loading the weights. */
export interface ModelHeader {
  readonly architecture: string;
  readonly fileBytes: number;
  readonly weightBytes: number;
  readonly contextTrain: number;
  readonly layers: number;
  /** Bytes of one KV cell over all layers with F16 keys and values; 0 when the header does not tell. */
  readonly cellBytes: number;
}

export interface LoadOptions {
  readonly path: string;
  readonly mmap: boolean;
  readonly gpuLayers: number;
  /**
   * How genes add to the products of weights: by the `place` of each weight, which is the default (our own node where it
   * lies in host memory, stacks elsewhere), or by `stacks` for all, so that any processor can be asked what those do.
   */
  readonly geneForm?: 'place' | 'stacks';
  /** Called on the calling thread with a fraction of 1; answering false cancels the load (`Aborted`). */
  readonly onProgress?: (fraction: number) => boolean;
}

export interface ContextOptions {
  /** Sequences that can decode, 1 to 256. */
  readonly lanes: number;
  /** KV places shared by all lanes; rounded up to a multiple of 256. */
  readonly cells: number;
  /** Most rows of one step; also the micro-batch. At least `lanes`, at most `cells`. */
  readonly rows: number;
  /**
   * ggml threads for steps of one row per lane, and for steps with prompt rows. They wait for each other by
   * spinning: a model of a few megabytes is fastest with 1, and any is slow with more than there are free cores.
   */
  readonly threads: number;
  readonly promptThreads: number;
  readonly flashAttention: boolean;
  /** Int32 in shared memory: any other value than 0 makes a running step stop early (for leaving only). */
  readonly abortFlag?: Int32Array;
}

/** Sampling as plain numbers; the defaults live in `src/actors/engine/sampling.ts`. */
export interface SamplerOptions {
  readonly seed: number;
  /** 0 = greedy. */
  readonly temperature: number;
  /** 0 = off. */
  readonly topK: number;
  /** 1 = off. */
  readonly topP: number;
  /** 0 = off. */
  readonly minP: number;
  /** 1 = off. */
  readonly repeatPenalty: number;
  /** How many of the tokens last produced the penalty sees; 0 = none, -1 = all. */
  readonly repeatLast: number;
}

/** A gene that is loaded: what its file holds, laid out for the products of this processor. */
export interface GeneInfo {
  /** Never reused in this process. */
  readonly id: number;
  /** Of the file's content; two files of one hash are one gene. */
  readonly hash: string;
  /** The highest of its tensors. */
  readonly rank: number;
  /** Weights of the model that it changes. */
  readonly weights: number;
  /** Bytes in memory. */
  readonly bytes: number;
  /** It moves between device and host without a copy, and at once: both are the same memory. */
  readonly inPlace: boolean;
  /** Where they are: ready for lanes, out of the way on the host, or nowhere but in the file. */
  readonly tier: Tier;
}

export type Tier = 'device' | 'host' | 'disk';

/** One gene of what a lane runs; `scale` multiplies what the file's own rank and alpha say. */
export interface AppliedGene {
  readonly gene: number;
  readonly scale: number;
}

export interface BufferBytes {
  readonly buffer: string;
  /** True where the backend computes in host memory. */
  readonly host: boolean;
  readonly modelBytes: number;
  readonly contextBytes: number;
  readonly computeBytes: number;
  /** The logits buffer; on host. */
  readonly outputBytes: number;
}

export const StepStatus = { ok: 0, noRoom: 1, aborted: 2, failed: -1 } as const;
export type StepStatus = (typeof StepStatus)[keyof typeof StepStatus];

/** Fields of one row in the `rows` argument of `step`. */
export const ROW_FIELDS = 4;
/** What a row's fourth field may be. */
export const RowOutput = { none: 0, sample: 1, logits: 2 } as const;

export interface NativeContext extends NativePaging {
  readonly lanes: number;
  readonly cells: number;
  readonly rows: number;
  /**
   * One decode of `count` rows and one sample for each row that asks for it.
   * `rows`: `[token, lane, position, output]` each; a lane's positions go up by one from where the lane ends.
   * `sampled[i]` is the token of the i-th row with `RowOutput.sample`, in row order; it is also accepted by the
   * lane's sampler. At most `lanes` rows may have an output, and at most one of a lane may be sampled.
   * On any status but `ok` nothing was sampled, and lanes may hold part of the step: cut them back.
   */
  step(rows: Int32Array, count: number, sampled: Int32Array): StepStatus;
  /** Why the last step that was not `ok` was not: what llama.cpp said, or "". */
  failure(): string;
  /** The natural logarithm of the probability of `token` at the i-th output of the last step. */
  logProbability(output: number, token: number): number;
  /** A copy of the logits of the i-th output of the last step. */
  logits(output: number): Float32Array;
  /** Sets the lane's sampler as if it had already produced `produced`. */
  setSampler(lane: number, options: SamplerOptions, produced: Int32Array): void;
  /**
   * What the lane's rows run from the next step on; empty = the model as it is. The sums are made in order of ids.
   * What the lane already holds stays as it was computed. Rows of positions before `from` run none; unless given, all run.
   * Throws GeneAbsent for one that is not on the device; the lane then runs what it ran.
   */
  setGenes(lane: number, genes: readonly AppliedGene[], from?: number): void;
  /**
   * Gives the empty lane `to` the cells of the first tokens of another one, without copying; a cell is freed when no
   * lane holds it any more. False: `from` holds less than it needs to go on from there (sliding window); nothing has
   * changed. Throws ModelUnsupported for recurrent and hybrid models.
   */
  share(from: number, to: number, tokens: number): boolean;
  /**
   * Removes positions from `from` to the end. False: this model cannot, or the lane no longer holds what it needs to go
   * on from there (sliding window), and the lane is as it was.
   */
  cut(lane: number, from: number): boolean;
  clear(lane: number): void;
  /** Tokens that the lane holds. */
  length(lane: number): number;
  /** Steps, of all so far, that used the graph of the step before them: nothing was built for them. */
  reused(): number;
  memory(): BufferBytes[];
  close(): void;
}

export interface NativeModel {
  readonly info: ModelInfo;
  /**
   * Tokens of `text`, as ids. `special`: whether the literal texts of special tokens become those tokens.
   * `continues`: the text goes on after other text (no leading-space rule of the vocabulary applies).
   * Never adds bos or eos.
   */
  tokenize(text: string, options: { special: boolean; continues: boolean }): Int32Array;
  /** The tokens' bytes one after the other (UTF-8); `special`: whether special tokens show as their text. */
  detokenize(tokens: Int32Array, special: boolean): Uint8Array;
  /** The bytes of every token (special tokens: none), as one buffer and `vocabulary + 1` offsets into it. */
  pieces(): { bytes: Uint8Array; offsets: Uint32Array };
  /** Literal texts that `special: true` parses. */
  specials(): string[];
  /** Ids that end a reply. */
  ends(): Int32Array;
  /**
   * Loads an adapter from the bytes of its GGUF; `hash` is of these bytes, and `path` what errors call them. Content that
   * is loaded already gives the gene that there is, which comes to the device if it was on disk. For any thread: the
   * genes belong to the weights, not to this handle. Throws NotAGene, GeneTruncated, GeneUnfit.
   */
  loadGene(bytes: Uint8Array, options: { path: string; hash: string }): GeneInfo;
  /** Frees a gene. Throws GeneAbsent if there is none of that id, GeneInUse while a lane runs it or it moves. */
  unloadGene(id: number): void;
  /**
   * Moves a gene between device and host, or drops what is in memory of it; false: it was there. What it leaves is
   * ready for the next one that moves, and goes back to the system when one is dropped; while it moves it is nowhere. Throws as `unloadGene`, also for one that is to come from disk,
   * which only `loadGene` can do, and NativeFailure when there is no memory for the copy.
   */
  moveGene(id: number, to: Tier): boolean;
  /** In order of ids. */
  genes(): GeneInfo[];
  context(options: ContextOptions): NativeContext;
  close(): void;
}

/** What page files need of the system beyond node:fs. For any thread. */
export interface NativeFiles {
  /**
   * Locks the file at `path`, made if it is not there, for this process, until `unlock` or until the process is gone.
   * Answers the lock's number, or 0 when another holds it, be it in this process.
   */
  lock(path: string): number;
  unlock(lock: number): void;
  /** Claims a name under a lock for this thread; false: another has it. A claim ends with its thread. */
  claim(lock: number, name: string): boolean;
  unclaim(lock: number, name: string): void;
  /** Gives the calling thread the lowest priority for good, where the system has one for threads (Linux). */
  yieldThread(): void;
}

export interface Addon {
  readonly version: string;
  /** llama.cpp's own description of the processor features it was built for. */
  readonly systemInfo: string;
  /** Reads the header of a GGUF. Throws ModelNotFound, NotAModel, ModelTruncated, ModelUnsupported. */
  readHeader(path: string): ModelHeader;
  /** Loads weights; blocks the calling thread. Throws as `readHeader`, and Aborted. */
  loadModel(options: LoadOptions): NativeModel;
  /** Another thread's handle on weights that are loaded already. */
  attachModel(id: number): NativeModel;
  readonly files: NativeFiles;
  /** Live native objects of this process, for leak checks. */
  live(): { models: number; contexts: number; genes: number };
  readonly pages: PageStore;
}
