/**
 * The transcript of a page's room, as one more section of its files: with it a room can be gone on with in another process.
 * The page in memory does not have it.
 */
import { crc32 } from 'node:zlib';
import { PageCorrupt } from '../errors.js';
import type { Disk } from './disk.js';
import type { PageLayout, PageSource, PageTarget } from './source.js';

/** Kind of that section; those of the native store have the numbers before it. */
export const TRANSCRIPT = 7;
/** Longest transcript that is read back, in bytes. */
export const MOST_TRANSCRIPT_BYTES = 64 << 20;

/** The page with the transcript behind its own sections. */
export function withTranscript(page: PageSource, bytes: Uint8Array, disk: Pick<Disk, 'write'>): PageSource {
  const { layout } = page;
  const last = layout.sections.length;
  const part = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length);
  return {
    chunkBytes: page.chunkBytes,
    layout: { ...layout, sections: [...layout.sections, { kind: TRANSCRIPT, bytes: bytes.length }] },
    checksum: (section, offset, length, before) =>
      section === last ? crc32(part(offset, length), before) : page.checksum(section, offset, length, before),
    write: (file, section, offset, length) =>
      section === last
        ? disk.write(file, part(offset, length), null)
        : page.write(file, section, offset, length),
  };
}

/** Takes a page's files apart again: what `begin` makes gets all sections but the transcript, which `keep` gets. */
export function withoutTranscript(
  begin: (layout: PageLayout) => PageTarget,
  keep: (transcript: Uint8Array) => void,
  disk: Pick<Disk, 'read'>,
): (layout: PageLayout) => PageTarget {
  return (layout) => {
    const at = layout.sections.findIndex(({ kind }) => kind === TRANSCRIPT);
    if (at < 0) return begin(layout);
    const length = layout.sections[at]?.bytes ?? 0;
    if (length > MOST_TRANSCRIPT_BYTES) {
      throw new PageCorrupt({ what: 'its transcript', reason: `it is said to have ${length} bytes` });
    }
    const bytes = new Uint8Array(length);
    const target = begin({ ...layout, sections: layout.sections.toSpliced(at, 1) });
    /** Its sections come after ours by one where ours is before them. */
    const theirs = (section: number): number => (section < at ? section : section - 1);
    return {
      checksum: (section, offset, length, before) =>
        section === at
          ? crc32(bytes.subarray(offset, offset + length), before)
          : target.checksum(theirs(section), offset, length, before),
      read: (file, section, offset, length) =>
        section === at
          ? disk.read(file, bytes.subarray(offset, offset + length))
          : target.read(file, theirs(section), offset, length),
      seal: () => {
        const page = target.seal();
        keep(bytes);
        return page;
      },
      discard: () => target.discard(),
    };
  };
}
