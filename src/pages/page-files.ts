/**
 * The pages folder of a process, for actors: spill, restore, list, remove. Nothing blocks here; the work is done by jobs on
 * offload threads (`page-jobs.ts`), one at a time for each page, in the order in which they were asked for, and of all spills one
 * at a time.
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
/** Spills have one thread, and one that stood in its queue would count as begun: so they wait for each other here. */
const SPILL_THREAD = 'the thread of spills';

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
  /** Ends the wait for jobs that came before, of the same page or spills, with its reason; a job that has begun goes on. */
  readonly signal?: AbortSignal;
}

export class PageFiles {
  readonly #owned: Owned;
  readonly #work: PageWork;
  readonly #order = new InOrder();
  readonly #spills = new InOrder();
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
  async spill({ name, page, transcript }: SpillRequest, options: PageJobOptions): Promise<PageFile> {
    checkPageName(name);
    const begin = inTime(`the spill of ${name}`, options, (until, backstopMs) =>
      this.#work.run({ what: 'spill', ...this.#owned, ...until, name, page, transcript }, backstopMs),
    );
    const { signal } = options;
    return this.#order.run(name, () => this.#spills.run(SPILL_THREAD, begin, signal), signal);
  }

  /**
   * Writes what a lane holds to disk as `spill` does its page, through a window: the files are the same. Rejects as `spill`,
   * and with whatever bringing a piece rejects with.
   */
  async spillLane(
    { name, transcript, bringing }: SpillLaneRequest,
    options: PageJobOptions,
  ): Promise<PageFile> {
    checkPageName(name);
    const begin = inTime(`the spill of ${name}`, options, (until, backstopMs) => {
      const job = { what: 'spill-lane', ...this.#owned, ...until, name, transcript } as const;
      return this.#work.runWith(job, backstopMs, bringing);
    });
    return this.#order.run(name, begin, options.signal);
  }

  /**
   * Reads a page into memory as a new page, and leaves it on disk. Rejects with NoSuchPage, PageCorrupt, PageMismatch,
   * OverCeiling, DiskFailure, PageBusy, Aborted, DeadlineExceeded.
   */
  async restore({ name, fingerprint, genes }: RestoreRequest, options: PageJobOptions): Promise<Restored> {
    checkPageName(name);
    const begin = inTime(`the restore of ${name}`, options, (until, backstopMs) =>
      this.#work.run({ what: 'restore', ...this.#owned, ...until, name, fingerprint, genes }, backstopMs),
    );
    return this.#order.run(name, begin, options.signal);
  }

  /** The pages on disk, as their manifests say. */
  list(): Promise<PageList> {
    return this.#work.run({ what: 'list', ...this.#owned }, SMALL_JOB_MS);
  }

  /** One of them, after the jobs on it that were asked for before; undefined: there is none. */
  async find(name: string): Promise<PageFile | undefined> {
    const { pages } = await this.#order.run(name, () => this.list());
    return pages.find((page) => page.name === name);
  }

  /** Rejects with NoSuchPage, DiskFailure, PageBusy, and with the reason of `signal` when that aborts before it has begun. */
  async remove(name: string, signal?: AbortSignal): Promise<void> {
    const job = { what: 'remove', ...this.#owned, name: checkPageName(name) } as const;
    await this.#order.run(name, () => this.#work.run(job, SMALL_JOB_MS), signal);
  }

  /** Waits for the jobs that were asked for, and gives the folder up. */
  async close(): Promise<void> {
    await this.#order.settled();
    loadAddon().files.unlock(this.#owned.lock);
  }
}

type Job<T> = (until: Until, backstopMs: number) => Promise<T>;

/** A job with its deadline, which counts from now; it is refused if it begins later than that. */
function inTime<T>(
  what: string,
  { deadlineMs, progress = new Progress() }: PageJobOptions,
  run: Job<T>,
): () => Promise<T> {
  const at = Date.now() + deadlineMs;
  return async () => {
    const leftMs = at - Date.now();
    if (leftMs <= 0) throw new DeadlineExceeded({ what, deadlineMs });
    return run({ at, deadlineMs, progress: progress.memory }, leftMs + GRACE_MS);
  };
}

/**
 * Memory lets go of a page that `restore` made and nobody has taken over. An engine that was just started may have found it, and
 * let it go before: then only a job that writes it holds it still, or nothing.
 */
export function releasePage(page: number): void {
  const { pages } = loadAddon();
  try {
    if (pages.info(page)?.kept) pages.release(page);
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error;
  }
}
