/**
 * The pager's folder of pages: opened when it is first needed, what it takes is counted, and what is done in it is shown.
 */
import { NoSuchPage, TroupeError } from '../../errors.js';
import { PageFiles } from '../../pages/page-files.js';
import type { PageWork } from '../../pages/page-jobs.js';
import type { Context } from '../../runtime/actor.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { LeaseMessage } from '../broker/lease-news.js';
import { DiskBudget } from './disk-budget.js';
import { DiskWaits, unlessAborted } from './disk-waits.js';
import { tellOfDisk } from './post.js';
import type { PagerArgs } from './protocol.js';

/** The key in the saved state of whether the folder was ever opened. */
const OPENED = 'folder';

/** What has become of the page is not known then. A reader also finishes, or discards, what was cut short. */
const UNKNOWN = ['DiskFailure', 'PublicationUnfinished', 'PageCorrupt', 'AskTimeout'];

/** Whether there may be a page on disk, or none, other than before. */
export const isUnsure = (error: unknown): boolean =>
  !(error instanceof TroupeError) || UNKNOWN.includes(error.code);

export class Folder {
  readonly disk: DiskBudget;
  readonly waits: DiskWaits;
  readonly #ctx: Context;
  readonly #args: PagerArgs;
  readonly #makeWork: () => PageWork;
  #work: PageWork | undefined;
  #files: Promise<PageFiles> | undefined;

  /** `makeWork`: makes what runs the jobs of the folder. */
  constructor(ctx: Context, args: PagerArgs, makeWork: () => PageWork) {
    this.#ctx = ctx;
    this.#args = args;
    this.#makeWork = makeWork;
    this.disk = new DiskBudget(ctx, args);
    this.waits = new DiskWaits(ctx);
  }

  /**
   * Says what pages take on disk. One that was opened by a pager before this one is opened anew, and what was said of it holds
   * until it is counted.
   */
  begin(saved: ReadonlyMap<string, unknown>): void {
    if (!saved.has(OPENED)) return this.disk.news.tell();
    // Why it cannot be opened is heard by who has to do with it next.
    this.open().catch(() => {});
  }

  /** One that could not be opened is tried again the next time. */
  open(): Promise<PageFiles> {
    this.#work ??= this.#makeWork();
    this.#files ??= this.#opened(this.#work).catch((error: unknown) => {
      this.#files = undefined;
      throw error;
    });
    return this.#files;
  }

  /** Does something there; whoever looks sees what. `signal` aborts at the deadline. */
  async busy<T>(
    reason: string,
    deadlineMs: number,
    work: (files: PageFiles, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.waits.during(reason, deadlineMs, async (signal) =>
        work(await unlessAborted(this.open(), signal), signal),
      );
    } finally {
      this.tellEngine();
    }
  }

  /** It says what the store of pages holds: a page that is written or read is held meanwhile. */
  tellEngine(): void {
    const changed: LeaseMessage = { type: 'leases-changed' };
    this.#ctx.tell(this.#args.engine, changed, { band: Band.reserved });
  }

  /** A job on a page. What it leaves behind when it fails is looked at. */
  async change<T>(name: string, files: PageFiles, changed: Promise<T>): Promise<T> {
    try {
      return await changed;
    } catch (error) {
      const isGone = error instanceof NoSuchPage && this.disk.has(name);
      if (isUnsure(error) || isGone) void this.#look(name, files);
      throw error;
    }
  }

  async close(): Promise<void> {
    const files = await this.#files?.catch(() => undefined);
    await files?.close();
    await this.#work?.close();
  }

  async #opened(work: PageWork): Promise<PageFiles> {
    const files = await PageFiles.open(this.#args.dir, work);
    try {
      await this.disk.count(files);
      this.#ctx.save(OPENED, true);
      return files;
    } catch (error) {
      await files.close();
      throw error;
    }
  }

  /** A folder that cannot be looked at is counted as it was, until the next job on that page. */
  async #look(name: string, files: PageFiles): Promise<void> {
    const wasThere = this.disk.has(name);
    const isThere = await this.disk.look(files, name).catch((error: unknown) => {
      this.#ctx.probe({ name: 'page.unknown', page: name, error: toEnvelope(error) });
      return wasThere;
    });
    if (wasThere && !isThere) tellOfDisk(this.#ctx, this.#args.broker, { type: 'removed', name });
  }
}
