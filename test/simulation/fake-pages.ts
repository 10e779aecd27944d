/**
 * The page store of the fake engine: pages are sections of bytes in plain arrays, that of the KV four bytes a token. Files of
 * them lie on a fake disk.
 */
import { crc32 } from 'node:zlib';
import { BadArgument, NoSuchPage, OverCeiling } from '../../src/errors.js';
import {
  type PageInfo,
  type PageStore,
  type PageUsage,
  type SectionData,
  type SectionInfo,
  SectionKind,
} from '../../src/native/pages.js';
import type { FakeDisk } from './fake-disk.js';

interface FakePage {
  readonly fingerprint: string;
  readonly cells: number;
  readonly sections: readonly { readonly kind: SectionKind; readonly data: Uint8Array }[];
  readonly bytes: number;
  sealed: boolean;
  readonly isWindow: boolean;
  /** Held by the store, and by jobs that write it. */
  references: number;
  jobs: number;
}

type Layout = Parameters<PageStore['create']>[0];

export class FakePages implements PageStore {
  readonly #pages = new Map<number, FakePage>();
  readonly #disk: FakeDisk;
  #last = 0;
  #ceiling = Number.POSITIVE_INFINITY;
  /** Memory that nothing uses. */
  free = 0;
  /** Whether it is a job's thread that calls now. */
  inJob = false;

  constructor(disk: FakeDisk) {
    this.#disk = disk;
  }

  put(kv: readonly number[], sections: readonly SectionData[]): number {
    return this.#add({ fingerprint: FINGERPRINT, cells: kv.length }, sectionsOf(kv, sections), true);
  }

  /** A window, whose piece is to be filled. */
  openWindow(): number {
    const piece = [{ kind: SectionKind.kv, data: new Uint8Array(PIECE_BYTES) }];
    const id = ++this.#last;
    const page = { fingerprint: '', cells: 0, sections: piece, bytes: PIECE_BYTES, sealed: false };
    this.#pages.set(id, { ...page, isWindow: true, references: 1, jobs: 0 });
    return id;
  }

  /** What is in the window, or is from now on. */
  piece(window: number): Uint8Array {
    return this.#page(window).sections[0]?.data as Uint8Array;
  }

  kv(id: number): number[] {
    const { data } = this.#page(id).sections[0] as { readonly data: Uint8Array };
    return [...new Int32Array(data.slice().buffer)];
  }

  /** Whether anybody but jobs that write it has a page. */
  isKept(id: number): boolean {
    const page = this.#pages.get(id);
    return page !== undefined && page.references > page.jobs;
  }

  info(id: number): PageInfo | undefined {
    const page = this.#pages.get(id);
    if (!page) return undefined;
    const { bytes, cells, fingerprint, references, sealed } = page;
    const sections = page.sections.map(({ kind, data }) => ({ kind, bytes: data.length }));
    return { bytes, cells, fingerprint, references, kept: this.isKept(id), sealed, sections };
  }

  section = (id: number, kind: number): Uint8Array | undefined =>
    this.#page(id)
      .sections.find((each) => each.kind === kind)
      ?.data.slice();

  sections = (id: number): FakePage['sections'] => this.#page(id).sections;

  retain(id: number): void {
    const page = this.#page(id);
    page.references++;
    page.jobs++;
  }

  /** A job lets go what jobs retained, or else what the store itself has held. */
  release(id: number): void {
    const page = this.#page(id);
    if (this.inJob && page.jobs > 0) page.jobs--;
    else if (page.references === page.jobs) throw notHeld(id);
    if (--page.references === 0) this.#pages.delete(id);
  }

  list = (): number[] => [...this.#pages.keys()];

  usage(): PageUsage {
    const sumOf = (windows: boolean): number =>
      [...this.#pages.values()].reduce(
        (sum, { bytes, isWindow }) => sum + (isWindow === windows ? bytes : 0),
        0,
      );
    const [bytes, windows] = [sumOf(false), sumOf(true)];
    return { bytes, windows, free: this.free, ceiling: this.#ceiling, count: this.#pages.size };
  }

  setCeiling(bytes: number): void {
    this.#ceiling = bytes;
  }

  trim(): number {
    const { free } = this;
    this.free = 0;
    return free;
  }

  create({ fingerprint, cells, sections }: Layout): number {
    const empty = sections.map(({ kind, bytes }: SectionInfo) => ({ kind, data: new Uint8Array(bytes) }));
    return this.#add({ fingerprint, cells }, empty, false);
  }

  write(file: number, id: number, section: number, offset: number, length: number): number {
    return this.#disk.write(file, this.#part(id, section, offset, length), null);
  }

  read(file: number, id: number, section: number, offset: number, length: number): number {
    return this.#disk.read(file, this.#part(id, section, offset, length));
  }

  checksum = (id: number, section: number, offset: number, length: number, before: number): number =>
    crc32(this.#part(id, section, offset, length), before);

  seal(id: number): void {
    this.#page(id).sealed = true;
  }

  #add(
    { fingerprint, cells }: Pick<FakePage, 'fingerprint' | 'cells'>,
    sections: FakePage['sections'],
    sealed: boolean,
  ): number {
    const bytes = sections.reduce((sum, { data }) => sum + data.length, 0);
    const usedBytes = this.usage().bytes;
    if (usedBytes + bytes > this.#ceiling) {
      throw new OverCeiling({ needBytes: bytes, usedBytes, ceilingBytes: this.#ceiling });
    }
    const page = { fingerprint, cells, sections, bytes, sealed, isWindow: false, references: 1, jobs: 0 };
    this.#pages.set(++this.#last, page);
    return this.#last;
  }

  #part(id: number, section: number, offset: number, length: number): Uint8Array {
    const data = this.#page(id).sections[section]?.data ?? new Uint8Array();
    return data.subarray(offset, offset + length);
  }

  #page(id: number): FakePage {
    const page = this.#pages.get(id);
    if (!page) throw new NoSuchPage({ name: `id ${id}` });
    return page;
  }
}

export const sectionsOf = (kv: readonly number[], given: readonly SectionData[]): FakePage['sections'] =>
  [{ kind: SectionKind.kv, data: new Uint8Array(Int32Array.from(kv).buffer) }, ...given].map(
    ({ kind, data }) => ({ kind, data: data.slice() }),
  );

/** Of a window: some rooms take several. */
export const PIECE_BYTES = 256;
/** Of all contexts. */
export const FINGERPRINT = 'model=fake';

const notHeld = (id: number): Error =>
  new BadArgument({ argument: 'id', value: id, expected: 'a page that this thread has retained' });
