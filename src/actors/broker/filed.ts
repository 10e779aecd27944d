/**
 * The broker's book of pages on disk: which rooms have one, as the pager has said that it wrote or read it. It is handed over,
 * for the files outlive every actor; with its mind a room leaves the book, and the files stay for a later `recall`, but those
 * that were only lent.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { PageRecord } from '../engine/protocol.js';
import type { FiledPage } from './protocol.js';

/** What the keys of files in the saved state begin with. */
const FILE = 'file/';

export interface FiledBy {
  readonly file: FiledPage;
  readonly pager: ActorId;
  /** The number that the same page has in memory, or had there; undefined: it never was there. */
  readonly page: number | undefined;
}

export class Filed {
  readonly #ctx: Context;
  readonly #files = new Map<Activity, FiledBy>();

  /** Takes over what a broker before this one handed over. */
  constructor(ctx: Context, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    for (const [key, filed] of saved) if (key.startsWith(FILE)) this.#take(filed as FiledBy);
  }

  get size(): number {
    return this.#files.size;
  }

  of(activity: Activity): FiledBy | undefined {
    return this.#files.get(activity);
  }

  /** Whether a page in memory is on disk as it is. */
  has({ activity, page }: PageRecord): boolean {
    return this.of(activity)?.page === page;
  }

  /** The one whose files are called so. */
  named(name: string): FiledBy | undefined {
    return [...this.#files.values()].find(({ file }) => file.file.name === name);
  }

  all(): Map<Activity, FiledPage> {
    return new Map([...this.#files].map(([activity, { file }]) => [activity, file]));
  }

  put(filed: FiledBy): void {
    this.#take(filed);
    this.#ctx.save(FILE + filed.file.activity, filed);
  }

  /** What is on disk is also in memory, under this number. */
  read({ activity, page }: PageRecord): void {
    const filed = this.of(activity);
    if (filed !== undefined) this.put({ ...filed, page });
  }

  remove(activity: Activity): void {
    if (this.#files.delete(activity)) this.#ctx.save(FILE + activity, undefined);
  }

  /** The broker is to hear when mind or pager ends. */
  #take(filed: FiledBy): void {
    this.#files.set(filed.file.activity, filed);
    for (const one of [filed.pager, filed.file.mind]) this.#ctx.watch(one);
  }
}
