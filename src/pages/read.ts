/**
 * Reading: a page's files back into memory, every byte checked; and the list of what there is. A reader finishes what was
 * cut short, and keeps writers out while it reads. For offload threads.
 */
import { NoSuchPage, PageCorrupt, PageMismatch, TroupeError } from '../errors.js';
import { claiming, type Directory } from './directory.js';
import { doing, entriesOf, removeFolder } from './disk.js';
import { CHUNK_BYTES, readAll, type Tick } from './file.js';
import { checksumsDiffer } from './header.js';
import { MANIFEST, pagePath, pagesPath, stagePath, stagingPath } from './layout.js';
import { type Manifest, pageBytes, type SectionFile } from './manifest.js';
import { folderName, isFolderName } from './names.js';
import { type Damage, settlePage } from './recover.js';
import { readingSection, readManifest } from './section.js';
import type { PageLayout, PageTarget } from './source.js';

export interface PageRead {
  /** What `begin`'s target answered when it was whole. */
  readonly page: number;
  readonly manifest: Manifest;
}

/**
 * Fills what `begin` makes with the page. Throws NoSuchPage, PageCorrupt, PageMismatch, DiskFailure, PageBusy, and what
 * `begin` or `tick` throw; nothing is kept then.
 */
export function read(
  directory: Directory,
  name: string,
  begin: (layout: PageLayout) => PageTarget,
  tick: Tick,
): PageRead {
  return claiming(directory, name, (folder) => {
    settlePage(directory, folder);
    const page = pagePath(directory.path, folder);
    const manifest = readManifest(directory, page);
    if (manifest === undefined) throw new NoSuchPage({ name });
    if (manifest.name !== name)
      throw new PageCorrupt({ what: page, reason: `it is the page of ${JSON.stringify(manifest.name)}` });
    // Before memory is taken for it.
    for (const index of manifest.sections.keys()) readingSection(directory, page, manifest, index, () => {});
    const { fingerprint, cells } = manifest;
    const sections = manifest.sections.map(({ kind, bytes }) => ({ kind, bytes }));
    const target = begin({ fingerprint, cells, sections });
    try {
      for (const index of sections.keys()) readSection(directory, page, manifest, index, target, tick);
      return { page: target.seal(), manifest };
    } catch (error) {
      target.discard();
      throw error;
    }
  });
}

function readSection(
  directory: Directory,
  page: string,
  manifest: Manifest,
  index: number,
  target: PageTarget,
  tick: Tick,
): void {
  const { bytes, checksum: expected } = manifest.sections[index] as SectionFile;
  readingSection(directory, page, manifest, index, ({ file }, path) => {
    let checksum = 0;
    for (let at = 0; at < bytes; at += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, bytes - at);
      const got = doing(directory.disk, 'reading', path, () =>
        readAll(length, (done) => target.read(file, index, at + done, length - done)),
      );
      if (got < length)
        throw new PageCorrupt({ what: path, reason: `it ends after ${at + got} of ${bytes} bytes` });
      checksum = target.checksum(index, at, length, checksum);
      tick(length);
    }
    if (checksum === expected) return;
    throw new PageCorrupt({ what: path, reason: checksumsDiffer('its bytes', expected, checksum) });
  });
}

/** A page on disk. */
export interface PageFile extends Pick<Manifest, 'name' | 'generation' | 'time' | 'fingerprint' | 'cells'> {
  readonly bytes: number;
}

export interface PageList {
  /** In order of names. */
  readonly pages: readonly PageFile[];
  readonly damaged: readonly Damage[];
}

/**
 * What the manifests say, as whoever comes next would find it; the sections are not read. Claims nothing: a manifest changes
 * from one moment to the next.
 */
export function list(directory: Directory): PageList {
  const pages: PageFile[] = [];
  const damaged: Damage[] = [];
  const places = [stagingPath(directory.path), pagesPath(directory.path)];
  const folders = new Set(places.flatMap((place) => entriesOf(directory.disk, place) ?? []));
  for (const folder of folders) {
    if (!isFolderName(folder)) continue;
    const path = pagePath(directory.path, folder);
    try {
      const manifest = committed(directory, folder) ?? readManifest(directory, path);
      if (manifest !== undefined) pages.push(checkedPage(manifest, folder));
    } catch (error) {
      if (!(error instanceof PageCorrupt) && !(error instanceof PageMismatch)) throw error;
      damaged.push({ path, reason: error.message });
    }
  }
  pages.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { pages, damaged };
}

/** The manifest of a publication that is finished by whoever comes next, or was just now. */
function committed(directory: Directory, folder: string): Manifest | undefined {
  try {
    return readManifest(directory, stagePath(directory.path, folder));
  } catch (error) {
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}

function checkedPage(manifest: Manifest, folder: string): PageFile {
  if (folderName(manifest.name) === folder) return pageFile(manifest);
  throw new PageCorrupt({ what: folder, reason: `it holds the page of ${JSON.stringify(manifest.name)}` });
}

export function pageFile({ name, generation, time, fingerprint, cells, sections }: Manifest): PageFile {
  return { name, generation, time, fingerprint, cells, bytes: pageBytes(sections) };
}

/** Removes a page. Throws NoSuchPage, PageBusy, DiskFailure. */
export function remove(directory: Directory, name: string): void {
  claiming(directory, name, (folder) => {
    settlePage(directory, folder);
    const page = pagePath(directory.path, folder);
    if (entriesOf(directory.disk, page) === undefined) throw new NoSuchPage({ name });
    removeFolder(directory.disk, page, MANIFEST);
  });
}
