/**
 * The pages of activities: all that a lane held of one, out of the lane. Which activity has which page of the process's
 * store; how a lane becomes a page and a page a lane again. It moves and refuses, and never chooses what goes.
 *
 * Pages outlive the engine, and say themselves whose they are.
 */

import { BadArgument, EmptyLane, NoSuchPage, OverCeiling, PageCorrupt } from '../../errors.js';
import type { NativeContext, NativeModel } from '../../native/addon.js';
import { loadAddon } from '../../native/load.js';
import {
  type PageInfo,
  type PageStore,
  type SectionData,
  SectionKind,
  type WindowInfo,
} from '../../native/pages.js';
import { ownerOf, readMeta, writeMeta } from '../../pages/meta.js';
import type { Activity } from '../activity.js';
import { type Lane, type LaneBeginning, phenotypeOf } from './lane.js';
import { type EngineArgs, type PageRecord, UNMADE } from './protocol.js';

/** Stands for a gene that is not loaded any more; no run can have it. */
const GONE = -1;

export interface PageListener {
  /** An activity has left its lane for a page, or has come back from it. */
  moved(to: 'page' | 'lane', record: PageRecord): void;
  /** An activity has a page now. */
  paged(record: PageRecord): void;
  /** A page is gone. */
  unpaged(record: PageRecord): void;
  /** An activity lost its KV, as it could not be kept in a page or be brought in from it. */
  failed(activity: Activity, error: unknown): void;
}

export class Pages {
  readonly #owner: string;
  readonly #ceiling: number;
  readonly #model: NativeModel;
  #context: NativeContext;
  readonly #store: PageStore;
  readonly #listener: PageListener;
  readonly #records = new Map<Activity, PageRecord>();

  /** `pageBytes`: what all of them may take. */
  constructor(
    { owner, pageBytes }: Pick<EngineArgs, 'owner' | 'pageBytes'>,
    model: NativeModel,
    context: NativeContext,
    store: PageStore,
    listener: PageListener,
  ) {
    this.#owner = owner;
    this.#ceiling = pageBytes;
    this.#model = model;
    this.#context = context;
    this.#store = store;
    this.#listener = listener;
  }

  /** Takes over from an engine before this one: the pages that it handed over, and those that it made and could not. */
  recover(handedOver: readonly PageRecord[]): void {
    const there = handedOver.filter(({ page }) => isKept(this.#store, page));
    // One that was read from disk says whose it was when it was written.
    const known = new Set(there.map(({ page }) => page));
    const unknown = pagesOf(this.#store, this.#owner).filter(({ page }) => !known.has(page));
    for (const record of [...there, ...unknown].sort((a, b) => a.page - b.page)) this.adopt(record);
  }

  /** The context that lanes are of from now on. */
  use(context: NativeContext): void {
    this.#context = context;
  }

  all(): PageRecord[] {
    return [...this.#records.values()];
  }

  of(activity: Activity): PageRecord | undefined {
    return this.#records.get(activity);
  }

  /** Throws NoSuchPage. */
  get(activity: Activity): PageRecord {
    const record = this.of(activity);
    if (record === undefined) throw new NoSuchPage({ name: activity });
    return record;
  }

  failed(activity: Activity, error: unknown): void {
    this.#listener.failed(activity, error);
  }

  /** What a page of the lane would be charged; 0: it holds nothing. */
  bytesOf(lane: Lane): number {
    return lane.held === 0 ? 0 : this.#context.pageBytes(lane.number, sizes(this.#sectionsOf(lane)));
  }

  /** Copies what a lane holds into a page and empties it. Throws EmptyLane, OverCeiling; the lane is then as it was. */
  out(lane: Lane): PageRecord {
    if (lane.held === 0) throw new EmptyLane({ name: lane.activity ?? `lane ${lane.number}` });
    this.#checkRoom(this.bytesOf(lane));
    const page = this.#context.pageOut(lane.number, this.#sectionsOf(lane));
    const { bytes } = this.#store.info(page) as PageInfo;
    const record = { activity: lane.activity as Activity, page, held: lane.held, bytes };
    this.adopt(record);
    this.#listener.moved('page', record);
    return record;
  }

  /** Has what `out` would make of a lane read piece by piece. Throws as `NativePaging.openWindow`. */
  openWindow(lane: Lane, bytes: number): WindowInfo {
    return this.#context.openWindow(lane.number, this.#sectionsOf(lane), bytes);
  }

  /** A page that was read from disk is an activity's; an engine that found it before it was told may have it as another's. */
  takeOver(record: PageRecord): void {
    if (!isKept(this.#store, record.page)) return this.#listener.unpaged(record);
    for (const other of this.all()) {
      if (other.page !== record.page || other.activity === record.activity) continue;
      this.#records.delete(other.activity);
      this.#listener.unpaged(other);
    }
    this.adopt(record);
  }

  /** A page of the store is an activity's from now on. */
  adopt(record: PageRecord): void {
    const before = this.#records.get(record.activity);
    this.#records.set(record.activity, record);
    // Told twice where an engine was lost over it.
    if (before !== undefined && before.page !== record.page) this.#free(before.page);
    this.#listener.paged(record);
  }

  /** What the KV of a page depends on. Throws PageCorrupt. */
  beginningOf({ page }: PageRecord): LaneBeginning {
    const { genes, base } = readMeta(this.#section(page, SectionKind.meta));
    const known = new Map(this.#model.genes().map(({ id, hash }) => [hash, id]));
    const ids = genes.map(({ hash, scale }) => ({ gene: known.get(hash) ?? GONE, scale }));
    const tokens = Array.from(toInt32(this.#section(page, SectionKind.tokens)));
    return { tokens, genes: ids, phenotype: phenotypeOf(ids), base };
  }

  /** Puts a page into an empty lane; the page is then gone. Throws PageMismatch; page and lane are then as they were. */
  in(lane: number, record: PageRecord): void {
    this.#context.pageIn(lane, record.page);
    this.drop(record);
    this.#listener.moved('lane', record);
  }

  /** Nothing if the activity has another page by now, or none. UNMADE: whichever it has. */
  drop({ activity, page }: PageRecord): void {
    const record = this.#records.get(activity);
    if (record === undefined || (page !== record.page && page !== UNMADE)) return;
    this.#records.delete(activity);
    this.#free(record.page);
    this.#listener.unpaged(record);
  }

  /** Lets go of pages, and gives memory that nothing uses back to the system; answers how many bytes less are held. */
  trim(drop: readonly PageRecord[]): number {
    const held = (): number => {
      const { bytes, free } = this.#store.usage();
      return bytes + free;
    };
    const before = held();
    for (const record of drop) this.drop(record);
    this.#store.trim();
    return Math.max(0, before - held());
  }

  /** Genes are gone: pages of what was computed under them mean nothing any more. */
  forgetGenes(): void {
    for (const record of this.all()) {
      if (this.beginningOf(record).genes.some(({ gene }) => gene === GONE)) this.drop(record);
    }
  }

  /**
   * One that was found here may be another's to let go of, or gone: it was read from disk for nobody, or is only held by
   * a job that writes it.
   */
  #free(page: number): void {
    try {
      this.#store.release(page);
    } catch (error) {
      if (!(error instanceof NoSuchPage || error instanceof BadArgument)) throw error;
    }
  }

  /** The store has room for other troupes' pages too. */
  #checkRoom(needBytes: number): void {
    const usedBytes = this.all().reduce((sum, { bytes }) => sum + bytes, 0);
    const ceilingBytes = this.#ceiling;
    if (usedBytes + needBytes > ceilingBytes) throw new OverCeiling({ needBytes, usedBytes, ceilingBytes });
  }

  #section(page: number, kind: SectionKind): Uint8Array {
    const bytes = this.#store.section(page, kind);
    if (bytes === undefined) throw new PageCorrupt({ what: `section ${kind}`, reason: 'it is not there' });
    return bytes;
  }

  #sectionsOf({ activity = '', tokens, genes, base }: Lane): SectionData[] {
    const hashes = new Map(this.#model.genes().map(({ id, hash }) => [id, hash]));
    const named = genes.map(({ gene, scale }) => ({ hash: hashes.get(gene) ?? `gone ${gene}`, scale }));
    return [
      { kind: SectionKind.tokens, data: new Uint8Array(Int32Array.from(tokens).buffer) },
      { kind: SectionKind.meta, data: writeMeta({ owner: this.#owner, activity, genes: named, base }) },
    ];
  }
}

const sizes = (sections: readonly SectionData[]): { kind: number; bytes: number }[] =>
  sections.map(({ kind, data }) => ({ kind, bytes: data.length }));

const toInt32 = (bytes: Uint8Array): Int32Array =>
  new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));

/** Whether a page may be somebody's yet: one that only a job holds, which writes it, is gone with that. */
const isKept = (store: PageStore, page: number): boolean => store.info(page)?.kept === true;

/** The pages of the process that an engine of this name made. */
function pagesOf(store: PageStore, name: string): PageRecord[] {
  return store.list().flatMap((page) => {
    const info = store.info(page);
    const meta = info?.kept && info.sealed ? store.section(page, SectionKind.meta) : undefined;
    const { owner, activity } = ownerOf(meta);
    return info === undefined || owner !== name
      ? []
      : [{ activity, page, held: info.cells, bytes: info.bytes }];
  });
}

/** The engine will not come back: frees the pages that it made, and those that it took over. */
export function releasePages(owner: string, takenOver: readonly PageRecord[]): void {
  const store = loadAddon().pages;
  const made = pagesOf(store, owner).map(({ page }) => page);
  for (const page of new Set([...made, ...takenOver.map((record) => record.page)])) {
    if (isKept(store, page)) store.release(page);
  }
}
