/**
 * The offload pool: short jobs on threads of their own (Piscina), so that no actor's thread does file work or long
 * sums. A job is a module whose default export takes plain data and answers plain data; see `defineJob`.
 */
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import {
  Aborted,
  AskTimeout,
  asTroupeError,
  type ErrorEnvelope,
  fromEnvelope,
  toEnvelope,
} from './errors.js';

export interface OffloadOptions {
  /** Most threads at once. */
  readonly threads: number;
  /** Jobs that may wait; more are refused. */
  readonly queue: number;
  /** Threads that stay when they are idle: who cannot wait for one to start keeps one. */
  readonly kept: number;
}

const DEFAULTS: OffloadOptions = { threads: 2, queue: 256, kept: 0 };
/** A thread without a job ends after this long. */
const IDLE_MS = 5_000;

export interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  /** Ports in the input, which the job has from then on. */
  readonly transfer?: readonly MessagePort[] | undefined;
}

/** What crosses the thread border: a thrown error keeps its class. */
export type JobResult<T> = { readonly ok: T } | { readonly error: ErrorEnvelope };

/** Makes a job module's default export of a function. */
export const defineJob =
  <Input, Output>(run: (input: Input) => Output | Promise<Output>) =>
  async (input: Input): Promise<JobResult<Output>> => {
    try {
      return { ok: await run(input) };
    } catch (error) {
      return { error: toEnvelope(error) };
    }
  };

export class Offload {
  readonly #pool: Piscina;

  constructor(options: Partial<OffloadOptions> = {}) {
    const { threads, queue, kept } = { ...DEFAULTS, ...options };
    this.#pool = new Piscina({
      minThreads: kept,
      maxThreads: threads,
      maxQueue: queue,
      idleTimeout: IDLE_MS,
      // A thread that waits for its next job in a blocking wait can be neither inspected nor asked anything.
      atomics: 'disabled',
    });
    // A worker that fails outside a job is replaced by the pool; its job's own promise has the error.
    this.#pool.on('error', () => {});
  }

  /** Runs the job module at `module` (a URL). Rejects with the job's error, `AskTimeout` or `Aborted`. */
  async run<Output>(
    module: string,
    input: unknown,
    deadlineMs: number,
    { signal, transfer = [] }: JobOptions = {},
  ): Promise<Output> {
    const late = AbortSignal.timeout(deadlineMs);
    const abort = signal === undefined ? late : AbortSignal.any([late, signal]);
    let result: JobResult<Output>;
    try {
      const options = { filename: module, signal: abort, transferList: [...transfer] };
      result = (await this.#pool.run(input, options)) as JobResult<Output>;
    } catch (error) {
      if (signal?.aborted) throw new Aborted({ what: `the job ${module}` });
      if (late.aborted)
        throw new AskTimeout({ actor: 'the offload pool', message: module, waitedMs: deadlineMs });
      throw asTroupeError(error);
    }
    if ('error' in result) throw fromEnvelope(result.error);
    return result.ok;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
