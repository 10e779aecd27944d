/**
 * The manifest and the sections of a page, read from their files and checked against each other.
 */
import { crc32 } from 'node:zlib';
import { PageCorrupt } from '../errors.js';
import type { Directory } from './directory.js';
import { doing, entriesOf } from './disk.js';
import { type OpenFile, readAll, readingFile } from './file.js';
import { checksumsDiffer, MANIFEST_KIND } from './header.js';
import { MANIFEST, sectionName } from './layout.js';
import { decodeManifest, type Manifest, MOST_MANIFEST_BYTES, type SectionFile } from './manifest.js';

/** The manifest in a folder; undefined if there is none. Throws PageCorrupt, PageMismatch, DiskFailure. */
export function readManifest(directory: Directory, folder: string): Manifest | undefined {
  if (entriesOf(directory.disk, folder)?.includes(MANIFEST) !== true) return undefined;
  const path = `${folder}/${MANIFEST}`;
  const corrupt = (reason: string) => new PageCorrupt({ what: path, reason });
  return readingFile(directory, path, ({ file, header }) => {
    if (header.kind !== MANIFEST_KIND) throw corrupt('its header is not that of a manifest');
    if (header.bytes > MOST_MANIFEST_BYTES)
      throw corrupt(`it has ${header.bytes} bytes, and a manifest at most ${MOST_MANIFEST_BYTES}`);
    const bytes = new Uint8Array(header.bytes);
    doing(directory.disk, 'reading', path, () =>
      readAll(bytes.length, (done) => directory.disk.read(file, bytes.subarray(done))),
    );
    const actual = crc32(bytes);
    if (actual !== header.checksum) throw corrupt(checksumsDiffer('its text', header.checksum, actual));
    const manifest = decodeManifest(bytes);
    if (typeof manifest === 'string') throw corrupt(manifest);
    if (manifest.publication !== header.publication) throw corrupt('its header is of another publication');
    return manifest;
  });
}

/** The generation that a folder holds; 0 if it holds none that can be read. Throws PageMismatch, DiskFailure. */
export function generationIn(directory: Directory, folder: string): number {
  try {
    return readManifest(directory, folder)?.generation ?? 0;
  } catch (error) {
    if (error instanceof PageCorrupt) return 0;
    throw error;
  }
}

/** Runs `body` on the file of a section that is the one its manifest means. Throws PageCorrupt, DiskFailure. */
export function readingSection<T>(
  directory: Directory,
  folder: string,
  manifest: Manifest,
  index: number,
  body: (open: OpenFile, path: string) => T,
): T {
  const section = manifest.sections[index] as SectionFile;
  const path = `${folder}/${sectionName(index, section.kind)}`;
  return readingFile(directory, path, (open) => {
    const { kind, bytes, checksum, publication } = open.header;
    const same =
      publication === manifest.publication &&
      kind === section.kind &&
      open.header.index === index &&
      bytes === section.bytes &&
      checksum === section.checksum;
    if (!same) throw new PageCorrupt({ what: path, reason: 'its header is not what the manifest says' });
    return body(open, path);
  });
}
