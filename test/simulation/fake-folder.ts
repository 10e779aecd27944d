/**
 * The folder of pages of the fake engine: the jobs of page files over a disk in memory, each taking a while of virtual time.
 * A seed makes the disk slow, full, broken at one step, or spoils a file. After each job it is looked whether what is on disk
 * is what it must be (`generations.ts`).
 */

import { DirectoryInUse, fromEnvelope } from '../../src/errors.js';
import { runIn, spillLane } from '../../src/jobs/pages.js';
import type { NativeFiles } from '../../src/native/addon.js';
import type { Directory } from '../../src/pages/directory.js';
import type { PagesAnswer, PagesJob, SpillLaneJob } from '../../src/pages/job.js';
import { lockPath, pagesPath, stagingPath } from '../../src/pages/layout.js';
import { GRACE_MS } from '../../src/pages/page-files.js';
import type { PageWork } from '../../src/pages/page-jobs.js';
import type { Bringing } from '../../src/pages/pieces.js';
import { Progress } from '../../src/pages/progress.js';
import type { PageFile } from '../../src/pages/read.js';
import { recover } from '../../src/pages/recover.js';
import { toEnvelope } from '../../src/runtime/errors.js';
import { Random } from '../../src/testing/index.js';
import { BroughtLane } from './brought-lane.js';
import { DIR, FakeDisk } from './fake-disk.js';
import type { FakePages } from './fake-pages.js';
import { Generations, type PageJob, type Section } from './generations.js';

/** Half a job takes up to so long, ms: some turns' time. */
const HALF_MS = 30;
/** A chunk of a slow job takes so long, ms. */
const CHUNK_MS = 500;
/** The stream of a seed's random numbers that the disk draws from. */
const DISK = 12;

export type DiskFault =
  /** The next spill finds the disk full, so many steps from its beginning. */
  | { readonly kind: 'full-disk'; readonly at: number; readonly after: number }
  /** One step of the next job that changes something fails. */
  | { readonly kind: 'failed-disk'; readonly at: number; readonly after: number }
  /** The next job takes so much longer. */
  | { readonly kind: 'slow-disk'; readonly at: number; readonly ms: number }
  /** A byte of some file is another one. */
  | { readonly kind: 'spoilt-file'; readonly at: number };

export interface FolderEvents {
  /** Calls back after so long. */
  after(ms: number, then: () => void): unknown;
  readonly messages: number;
  broken(property: string, what: string): void;
}

type OwnedJob = Exclude<PagesJob, { readonly what: 'open' }>;

export class FakeFolder {
  readonly disk = new FakeDisk(['/', DIR, pagesPath(DIR), stagingPath(DIR)]);
  readonly #generations: Generations;
  readonly #faults: DiskFault[];
  readonly #events: FolderEvents;
  readonly #random: Random;
  readonly #locks = new Map<number, { readonly path: string; readonly claims: Set<string> }>();
  #last = 0;
  #slow = 0;
  #running = 0;
  /** Whether a pager has begun while a job of the one before it went on. */
  hasOrphans = false;
  occurred = 0;

  constructor(seed: number, faults: readonly DiskFault[], events: FolderEvents) {
    this.#faults = [...faults];
    this.#events = events;
    this.#random = new Random(seed, DISK);
    this.#generations = new Generations((what) =>
      events.broken('a page on disk is one whole generation', what),
    );
  }

  /** At the face of the addon. */
  readonly files: NativeFiles = {
    lock: (path) => {
      if ([...this.#locks.values()].some((lock) => lock.path === path)) return 0;
      this.#locks.set(++this.#last, { path, claims: new Set() });
      return this.#last;
    },
    unlock: (lock) => void this.#locks.delete(lock),
    claim: (lock, name) => {
      const { claims } = this.#lock(lock);
      return !claims.has(name) && claims.add(name).has(name);
    },
    unclaim: (lock, name) => void this.#lock(lock).claims.delete(name),
    yieldThread: () => {},
  };

  /** In place of the pool's threads. */
  workOn(pages: FakePages): PageWork {
    this.hasOrphans ||= this.#running > 0;
    return {
      run: async <What extends PagesJob['what']>(
        job: PagesJob & { readonly what: What },
        backstopMs: number,
      ) => (await this.#counted(() => this.#take(job, backstopMs - GRACE_MS, pages))) as PagesAnswer[What],
      runWith: (job, backstopMs, bringing) =>
        this.#counted(() => this.#takeLane(job, backstopMs - GRACE_MS, pages, bringing)),
      close: async () => {},
    };
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }

  async #take(job: PagesJob, leftMs: number, pages: FakePages): Promise<unknown> {
    const held = job.what === 'spill' && pages.info(job.page) !== undefined ? job.page : undefined;
    if (held !== undefined) pages.retain(held);
    await this.#pass(this.#random.between(0, HALF_MS));
    const isLate = await this.#slowDown(job, leftMs);
    const done = this.#do(isLate ? ({ ...(job as PageJob), at: 0 } as PagesJob) : job, pages);
    await this.#pass(this.#random.between(0, HALF_MS));
    if (held !== undefined) this.#asJob(pages, () => pages.release(held));
    if ('error' in done) throw fromEnvelope(toEnvelope(done.error));
    return structuredClone(done.ok);
  }

  async #takeLane(
    job: SpillLaneJob,
    leftMs: number,
    pages: FakePages,
    bringing: Bringing,
  ): Promise<PageFile> {
    const lane = new BroughtLane(pages);
    const isLate = await this.#slowDown(job, leftMs);
    await lane.collect(bringing, () => this.#pass(this.#random.between(0, HALF_MS)));
    const done = this.#do(isLate ? { ...job, at: 0 } : job, pages, lane);
    await this.#pass(this.#random.between(0, HALF_MS));
    this.#asJob(pages, () => lane.letGo());
    if ('error' in done) throw fromEnvelope(toEnvelope(done.error));
    return structuredClone(done.ok as PageFile);
  }

  #do(job: PagesJob, pages: FakePages, lane = new BroughtLane(pages)): Done {
    const { disk } = this;
    this.#strike(job);
    disk.struck = false;
    let done: Done;
    try {
      done = {
        ok: job.what === 'open' ? this.#opened(job.path) : this.#asJob(pages, () => this.#runIn(job, lane)),
      };
    } catch (error) {
      done = { error };
    }
    disk.trouble = undefined;
    if (disk.struck) this.occurred++;
    if (isOnPage(job)) {
      const sections = (): readonly Section[] =>
        job.what === 'spill' ? pages.sections(job.page) : lane.sections();
      this.#generations.look(job, 'error' in done ? done.error : undefined, disk, sections);
    }
    return done;
  }

  /** Whether a job takes longer than it should. */
  get isSlow(): boolean {
    return this.#slow > 0;
  }

  /** Of pages that are on disk, whole or not. */
  names(): string[] {
    return this.#generations.names(this.disk);
  }

  #runIn(job: OwnedJob, lane: BroughtLane): PagesAnswer[OwnedJob['what']] {
    const directory = this.directory(job.lock);
    return job.what === 'spill-lane' ? spillLane(directory, job, lane) : runIn(directory, job);
  }

  directory(lock: number): Directory {
    return { path: DIR, lock, disk: this.disk, files: this.files };
  }

  #opened(path: string): PagesAnswer['open'] {
    const lock = this.files.lock(lockPath(path));
    if (lock === 0) throw new DirectoryInUse({ dir: path, holder: 'this process' });
    try {
      return { owned: { path, lock }, damaged: recover(this.directory(lock)) };
    } catch (error) {
      this.files.unlock(lock);
      throw error;
    }
  }

  /** What befalls this job. */
  #strike(job: PagesJob): void {
    const spoils = this.#due('spoilt-file');
    if (spoils !== undefined) this.#spoil();
    const full = SPILLS.includes(job.what) ? this.#due('full-disk') : undefined;
    if (full?.kind === 'full-disk') this.disk.trouble = { code: 'ENOSPC', after: full.after };
    const fails = job.what === 'list' ? undefined : this.#due('failed-disk');
    if (fails?.kind === 'failed-disk') this.disk.trouble = { code: 'EIO', after: fails.after };
  }

  #spoil(): void {
    const paths = this.disk.paths(pagesPath(DIR));
    if (paths.length === 0) return;
    const path = this.#random.pick(paths);
    this.occurred++;
    this.disk.spoil(path, this.#random.below(1_000));
    this.#generations.spoilt(path);
  }

  /** As a job looks, between two chunks, whether it is to end. Answers whether it is past its deadline. */
  async #slowDown(job: PagesJob, leftMs: number): Promise<boolean> {
    const slow = this.#due('slow-disk');
    if (slow?.kind !== 'slow-disk') return false;
    this.occurred++;
    this.#slow++;
    const progress = 'progress' in job ? new Progress(job.progress) : undefined;
    let passed = 0;
    while (passed < slow.ms && (progress === undefined || (passed < leftMs && !progress.stopped))) {
      await this.#pass(Math.min(CHUNK_MS, slow.ms - passed));
      passed += CHUNK_MS;
    }
    this.#slow--;
    return progress !== undefined && passed >= leftMs;
  }

  #due(kind: DiskFault['kind']): DiskFault | undefined {
    const at = this.#faults.findIndex((fault) => fault.kind === kind && fault.at <= this.#events.messages);
    return at < 0 ? undefined : this.#faults.splice(at, 1)[0];
  }

  #asJob<T>(pages: FakePages, work: () => T): T {
    pages.inJob = true;
    try {
      return work();
    } finally {
      pages.inJob = false;
    }
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => this.#events.after(ms, resolve));
  }

  #lock(lock: number): { readonly claims: Set<string> } {
    const found = this.#locks.get(lock);
    if (found === undefined) throw new Error(`there is no lock ${lock}`);
    return found;
  }
}

type Done = { readonly ok: unknown } | { readonly error: unknown };

const SPILLS: readonly string[] = ['spill', 'spill-lane'];
const isOnPage = (job: PagesJob): job is PageJob => [...SPILLS, 'restore', 'remove'].includes(job.what);
