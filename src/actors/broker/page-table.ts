/**
 * What the broker knows of pages: from what it has told the engine and from what the engine says. Which of them make
 * room for a new one is a function.
 */
import type { Activity } from '../activity.js';
import { type PageRecord, UNMADE } from '../engine/protocol.js';

export class PageTable {
  /** The one that was made first comes first: a page is not used, it leaves. */
  readonly #pages = new Map<Activity, PageRecord>();
  readonly #since = new Map<Activity, number>();
  readonly #now: () => number;
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A new engine, and the pages that it has. */
  open(pages: readonly PageRecord[]): void {
    this.#pages.clear();
    this.#bytes = 0;
    for (const { activity } of pages) if (!this.#since.has(activity)) this.#since.set(activity, this.#now());
    for (const page of pages) this.put(page);
  }

  put(record: PageRecord): void {
    const before = this.of(record.activity);
    this.#since.set(record.activity, before ? this.sinceOf(record.activity) : this.#now());
    this.#bytes += record.bytes - (before?.bytes ?? 0);
    this.#pages.delete(record.activity);
    this.#pages.set(record.activity, record);
  }

  /** Nothing if the activity has another page by now. */
  remove({ activity, page }: Pick<PageRecord, 'activity' | 'page'>): void {
    const record = this.#pages.get(activity);
    if (record?.page !== page) return;
    this.#bytes -= record.bytes;
    this.#pages.delete(activity);
    this.#since.delete(activity);
  }

  /** When it came to have a page, or to be about to. */
  sinceOf(activity: Activity): number {
    return this.#since.get(activity) ?? this.#now();
  }

  /** Of all of them. */
  get bytes(): number {
    return this.#bytes;
  }

  of(activity: Activity): PageRecord | undefined {
    return this.#pages.get(activity);
  }

  all(): PageRecord[] {
    return [...this.#pages.values()];
  }
}

/** The oldest pages that together give back so many bytes, or all that may go; those that are `spared` stay. */
export function oldest(
  pages: readonly PageRecord[],
  bytes: number,
  spared: (record: PageRecord) => boolean,
): PageRecord[] {
  const drop: PageRecord[] = [];
  let left = bytes;
  for (const record of pages) {
    if (left <= 0) break;
    if (record.page === UNMADE || spared(record)) continue;
    drop.push(record);
    left -= record.bytes;
  }
  return drop;
}

/**
 * Which pages go, the oldest first, so that one of `need` bytes fits under the ceiling; undefined: it cannot. Pages of
 * `spared` activities stay, but for those `atLast`.
 */
export function makeRoom(
  pages: readonly PageRecord[],
  need: number,
  ceiling: number,
  spared: (activity: Activity) => boolean,
  atLast: readonly PageRecord[] = [],
): PageRecord[] | undefined {
  let used = pages.reduce((sum, { bytes }) => sum + bytes, 0);
  const drop: PageRecord[] = [];
  for (const record of [...pages.filter(({ activity }) => !spared(activity)), ...atLast]) {
    if (used + need <= ceiling) break;
    if (record.page === UNMADE) continue;
    drop.push(record);
    used -= record.bytes;
  }
  return used + need <= ceiling ? drop : undefined;
}
