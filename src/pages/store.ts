/**
 * Pages of the native store as sources and targets of page files: the bytes go straight from their memory to the file and
 * back.
 */
import { NoSuchPage } from '../errors.js';
import type { PageStore, SectionInfo } from '../native/pages.js';
import type { PageLayout, PageSource, PageTarget } from './source.js';

/** A page that the caller holds. Throws NoSuchPage. */
export function sourceOf(store: PageStore, id: number): PageSource {
  const info = store.info(id);
  if (info === undefined) throw new NoSuchPage({ name: `number ${id}` });
  const { fingerprint, cells, sections } = info;
  return {
    layout: { fingerprint, cells, sections },
    checksum: (section, offset, length, before) => store.checksum(id, section, offset, length, before),
    write: (file, section, offset, length) => store.write(file, id, section, offset, length),
  };
}

/** A new page to be filled. Throws OverCeiling, and BadArgument for sections that no page may have. */
export function targetOf(store: PageStore, { fingerprint, cells, sections }: PageLayout): PageTarget {
  const id = store.create({ fingerprint, cells, sections: sections as readonly SectionInfo[] });
  return {
    checksum: (section, offset, length, before) => store.checksum(id, section, offset, length, before),
    read: (file, section, offset, length) => store.read(file, id, section, offset, length),
    seal: () => {
      store.seal(id);
      return id;
    },
    discard: () => store.release(id),
  };
}
