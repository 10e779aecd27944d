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

  /** Before a page of so many bytes is written, in place of the one of that name. Throws OverDiskBudget. */
  check(name: string, needBytes: number): void {
    const usedBytes = this.#used - (this.#bytes.get(name) ?? 0);
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

  get #used(): number {
    let sum = 0;
    for (const bytes of this.#bytes.values()) sum += bytes;
    return sum;
  }
}
