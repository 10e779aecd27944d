/**
 * What pages take on disk, against what they may: counted when the folder is opened, also those of processes before this
 * one, and kept up from then on.
 */
import { OverDiskBudget } from '../../errors.js';
import type { PageFiles } from '../../pages/page-files.js';
import type { PageFile } from '../../pages/read.js';
import type { Context } from '../../runtime/actor.js';
import { LeaseNews } from '../broker/lease-news.js';
import type { PagerArgs } from './protocol.js';

export class DiskBudget {
  readonly news: LeaseNews;
  readonly #budgetBytes: number;
  readonly #bytes = new Map<string, number>();
  /** Pages that are being written, each with what it may come to take. */
  readonly #coming = new Set<Pick<PageFile, 'name' | 'bytes'>>();

  constructor(ctx: Context, { broker, dir, diskBytes }: Pick<PagerArgs, 'broker' | 'dir' | 'diskBytes'>) {
    this.#budgetBytes = diskBytes;
    this.news = new LeaseNews(ctx, broker, () => ({
      holder: 'pager',
      leases:
        this.#used === 0
          ? []
          : [{ owner: dir, kind: 'pages', tier: 'disk', bytes: this.#used, floorBytes: 0 }],
    }));
  }

  /** The folder has been opened. */
  async count(files: Pick<PageFiles, 'list'>): Promise<void> {
    for (const file of (await files.list()).pages) this.wrote(file);
    this.news.changed();
  }

  /** Nothing may be written. */
  get isNone(): boolean {
    return this.#budgetBytes === 0;
  }

  /** A job on a page has ended without a word of what is there now. Answers whether anything is. */
  async look(files: Pick<PageFiles, 'find'>, name: string): Promise<boolean> {
    const file = await files.find(name);
    if (file === undefined) this.removed(name);
    else this.wrote(file);
    return file !== undefined;
  }

  /** Has a page of so many bytes written, in place of the one of that name. Rejects with OverDiskBudget, and as `write`. */
  async writing(name: string, needBytes: number, write: () => Promise<PageFile>): Promise<PageFile> {
    this.check(name, needBytes);
    const coming = { name, bytes: needBytes };
    this.#coming.add(coming);
    try {
      const file = await write();
      this.wrote(file);
      return file;
    } finally {
      this.#coming.delete(coming);
    }
  }

  /** Before a page of so many bytes is written, in place of the one of that name. Throws OverDiskBudget. */
  check(name: string, needBytes: number): void {
    const usedBytes = this.#usedBeside(name);
    const budgetBytes = this.#budgetBytes;
    if (usedBytes + needBytes > budgetBytes)
      throw new OverDiskBudget({ name, needBytes, usedBytes, budgetBytes });
  }

  has(name: string): boolean {
    return this.#bytes.has(name);
  }

  wrote({ name, bytes }: Pick<PageFile, 'name' | 'bytes'>): void {
    this.#bytes.set(name, bytes);
    this.news.changed();
  }

  removed(name: string): void {
    this.#bytes.delete(name);
    this.news.changed();
  }

  /** What others take, or may when they are written. */
  #usedBeside(name: string): number {
    const taken = new Map(this.#bytes);
    for (const { name: other, bytes } of this.#coming)
      taken.set(other, Math.max(bytes, taken.get(other) ?? 0));
    taken.delete(name);
    let sum = 0;
    for (const bytes of taken.values()) sum += bytes;
    return sum;
  }

  get #used(): number {
    let sum = 0;
    for (const bytes of this.#bytes.values()) sum += bytes;
    return sum;
  }
}
