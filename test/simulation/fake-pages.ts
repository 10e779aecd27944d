/**
 * The page store of the fake engine: pages are tokens and the caller's sections, in plain arrays. It has no files.
 */
import { NoSuchPage, OverCeiling } from '../../src/errors.js';
import {
  type PageInfo,
  type PageStore,
  type PageUsage,
  type SectionData,
  SectionKind,
} from '../../src/native/pages.js';

interface FakePage {
  readonly kv: readonly number[];
  readonly sections: readonly SectionData[];
  readonly bytes: number;
  references: number;
}

const noFiles = (): never => {
  throw new Error('a simulation has no files');
};

export class FakePages implements PageStore {
  readonly #pages = new Map<number, FakePage>();
  #last = 0;
  #ceiling = Number.POSITIVE_INFINITY;

  put(kv: readonly number[], sections: readonly SectionData[]): number {
    const bytes = sections.reduce((sum, { data }) => sum + data.length, kv.length);
    const usedBytes = this.usage().bytes;
    if (usedBytes + bytes > this.#ceiling) {
      throw new OverCeiling({ needBytes: bytes, usedBytes, ceilingBytes: this.#ceiling });
    }
    const kept = sections.map(({ kind, data }) => ({ kind, data: data.slice() }));
    this.#pages.set(++this.#last, { kv: [...kv], sections: kept, bytes, references: 1 });
    return this.#last;
  }

  kv = (id: number): readonly number[] => this.#page(id).kv;

  info(id: number): PageInfo | undefined {
    const page = this.#pages.get(id);
    if (!page) return undefined;
    const { kv, bytes, references } = page;
    const sections = page.sections.map(({ kind, data }) => ({ kind, bytes: data.length }));
    return {
      ...{ bytes, cells: kv.length, fingerprint: 'fake', references, sealed: true },
      sections: [{ kind: SectionKind.kv, bytes: kv.length }, ...sections],
    };
  }

  section = (id: number, kind: number): Uint8Array | undefined =>
    this.#page(id)
      .sections.find((each) => each.kind === kind)
      ?.data.slice();

  retain(id: number): void {
    this.#page(id).references++;
  }

  release(id: number): void {
    if (--this.#page(id).references === 0) this.#pages.delete(id);
  }

  list = (): number[] => [...this.#pages.keys()];

  usage(): PageUsage {
    const bytes = [...this.#pages.values()].reduce((sum, page) => sum + page.bytes, 0);
    return { bytes, free: 0, ceiling: this.#ceiling, count: this.#pages.size };
  }

  setCeiling(bytes: number): void {
    this.#ceiling = bytes;
  }

  trim = (): number => 0;
  write = noFiles;
  checksum = noFiles;
  create = noFiles;
  read = noFiles;
  seal = noFiles;

  #page(id: number): FakePage {
    const page = this.#pages.get(id);
    if (!page) throw new NoSuchPage({ name: `id ${id}` });
    return page;
  }
}
