/**
 * The pages folder of a process, for actors: spill, restore, list, remove. Nothing blocks here; the work is done by jobs on
 * offload threads (`page-jobs.ts`), one at a time for each page, in the order in which they were asked for.
 */
import { BadArgument, DeadlineExceeded } from '../errors.js';
import { loadAddon } from '../native/load.js';
import type { Owned, Restored, Until } from './job.js';
import type { PageGene } from './meta.js';
import { checkPageName } from './names.js';
import { InOrder } from './order.js';
import type { PageWork } from './page-jobs.js';
import type { Bringing } from './pieces.js';
import { Progress } from './progress.js';
import type { PageFile, PageList } from './read.js';
import type { Damage } from './recover.js';

/** Opening, listing and removing touch little; a slow disk with thousands of pages takes its time even so. */
const SMALL_JOB_MS = 120_000;
/** A job looks at its deadline itself, between two chunks; only one that does not come to that is ended from outside. */
export const GRACE_MS = 60_000;

export interface SpillRequest {
  /** The activity, as `ada/main`. */
  readonly name: string;
  /** Number of the page in memory. */
  readonly page: number;
  /** Of its room. */
  readonly transcript: Uint8Array;
}

export interface SpillLaneRequest {
  readonly name: string;
  readonly transcript: Uint8Array;
  readonly bringing: Bringing;
}

export interface RestoreRequest {
  readonly name: string;
  /** Of the context that it must be of; left out: of any. */
  readonly fingerprint?: string;
  /** What it must have been computed under; left out: whatever it was. */
  readonly genes?: readonly PageGene[] | undefined;
}

export interface PageJobOptions {
  readonly deadlineMs: number;
  /** To look at, and to stop the job by. */
  readonly progress?: Progress;
  /** Ends the wait for jobs of the same page that came before, with its reason; a job that has begun goes on. */
  readonly signal?: AbortSignal;
}

export class PageFiles {
  readonly #owned: Owned;
  readonly #work: PageWork;
  readonly #order = new InOrder();
  /** Pages that could not be brought to a whole generation when the folder was opened. */
  readonly damaged: readonly Damage[];

  private constructor(owned: Owned, work: PageWork, damaged: readonly Damage[]) {
    this.#owned = owned;
    this.#work = work;
    this.damaged = damaged;
  }

  /**
   * Takes the folder for this process, made if it is not there, and finishes what a process before left unfinished.
   * `work`: what runs its jobs; it stays the caller's. Rejects with FolderNotOwn, DirectoryInUse, DiskFull, DiskFailure.
   */
  static async open(path: string, work: PageWork): Promise<PageFiles> {
    const { owned, damaged } = await work.run({ what: 'open', path }, SMALL_JOB_MS);
    return new PageFiles(owned, work, damaged);
  }

  /**
   * Writes a page to disk, in place of the page of that name. Rejects with DiskFull, DiskFailure, NoSuchPage, PageBusy,
   * PageMismatch (there is one of a newer program), Aborted, DeadlineExceeded: what was on disk is whole then, and the page
   * stays in memory. Also with PublicationUnfinished.
   */
  spill({ name, page, transcript }: SpillRequest, options: PageJobOptions): Promise<PageFile> {
    return this.#onPage('spill', name, options, (until, backstopMs) =>
      this.#work.run({ what: 'spill', ...this.#owned, ...until, name, page, transcript }, backstopMs),
    );
  }

  /**
   * Writes what a lane holds to disk as `spill` does its page, through a window: the files are the same. Rejects as `spill`,
   * and with whatever bringing a piece rejects with.
   */
  spillLane({ name, transcript, bringing }: SpillLaneRequest, options: PageJobOptions): Promise<PageFile> {
    return this.#onPage('spill', name, options, (until, backstopMs) => {
      const job = { what: 'spill-lane', ...this.#owned, ...until, name, transcript } as const;
      return this.#work.runWith(job, backstopMs, bringing);
    });
  }

  /**
   * Reads a page into memory as a new page, and leaves it on disk. Rejects with NoSuchPage, PageCorrupt, PageMismatch,
   * OverCeiling, DiskFailure, PageBusy, Aborted, DeadlineExceeded.
   */
  restore({ name, fingerprint, genes }: RestoreRequest, options: PageJobOptions): Promise<Restored> {
    return this.#onPage('restore', name, options, (until, backstopMs) =>
      this.#work.run({ what: 'restore', ...this.#owned, ...until, name, fingerprint, genes }, backstopMs),
    );
  }

  /** The pages on disk, as their manifests say. */
  list(): Promise<PageList> {
    return this.#work.run({ what: 'list', ...this.#owned }, SMALL_JOB_MS);
  }

  /** Rejects with NoSuchPage, DiskFailure, PageBusy. */
  async remove(name: string): Promise<void> {
    const job = { what: 'remove', ...this.#owned, name: checkPageName(name) } as const;
    await this.#order.run(name, () => this.#work.run(job, SMALL_JOB_MS));
  }

  /** Waits for the jobs that were asked for, and gives the folder up. */
  async close(): Promise<void> {
    await this.#order.settled();
    loadAddon().files.unlock(this.#owned.lock);
  }

  async #onPage<T>(
    what: string,
    name: string,
    { deadlineMs, progress = new Progress(), signal }: PageJobOptions,
    run: (until: Until, backstopMs: number) => Promise<T>,
  ): Promise<T> {
    checkPageName(name);
    const at = Date.now() + deadlineMs;
    const begin = async (): Promise<T> => {
      const leftMs = at - Date.now();
      if (leftMs <= 0) throw new DeadlineExceeded({ what: `the ${what} of ${name}`, deadlineMs });
      return run({ at, deadlineMs, progress: progress.memory }, leftMs + GRACE_MS);
    };
    return this.#order.run(name, begin, signal);
  }
}

/**
 * Memory lets go of a page that `restore` made and nobody has taken over. An engine that was just started may have found it, and
 * let it go before: then only a job that writes it holds it still, or nothing.
 */
export function releasePage(page: number): void {
  const { pages } = loadAddon();
  try {
    if (pages.info(page) !== undefined) pages.release(page);
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error;
  }
}
