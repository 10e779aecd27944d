/**
 * Publication: a new generation of a page takes the place of the old one as a whole. Its files are written to a staging
 * folder and synced one by one; then the manifest is, and renamed: that is the commit record. What fails before it leaves
 * the old generation as it was and nothing staged; what is cut short after it is finished by whoever comes next
 * (`recover.ts`). For offload threads.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DiskFull, PublicationUnfinished, TroupeError } from '../errors.js';
import { claiming, type Directory } from './directory.js';
import { doing, ensureFolder, entriesOf, moveFile, removeFolder, syncFolder } from './disk.js';
import { type Content, type Tick, writeFile } from './file.js';
import { MANIFEST_KIND } from './header.js';
import { DRAFT, MANIFEST, pagePath, pagesPath, sectionName, stagePath, stagingPath } from './layout.js';
import { encodeManifest, type Manifest, pageBytes, type SectionFile } from './manifest.js';
import { discardStage, finishStage, settlePage } from './recover.js';
import { generationIn } from './section.js';
import { checkLayout, type PageSource } from './source.js';

/**
 * Writes the page and answers its manifest. Throws DiskFull, DiskFailure, PublicationUnfinished, PageBusy, BadArgument,
 * and whatever `tick` throws.
 */
export function publish(
  directory: Directory,
  name: string,
  source: PageSource,
  time: number,
  tick: Tick,
): Manifest {
  checkLayout(source.layout);
  return claiming(directory, name, (folder) => {
    settlePage(directory, folder);
    const manifest = commit(directory, folder, name, source, time, tick);
    try {
      finishStage(directory, folder, manifest);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      const path = pagePath(directory.path, folder);
      throw new PublicationUnfinished({ name, path, reason: error.message }, { cause: error });
    }
    return manifest;
  });
}

/** All of a publication up to its record. */
function commit(
  directory: Directory,
  folder: string,
  name: string,
  source: PageSource,
  time: number,
  tick: Tick,
): Manifest {
  const { disk, path } = directory;
  const page = pagePath(path, folder);
  const generation = generationIn(directory, page) + 1;
  checkRoom(directory, page, pageBytes(source.layout.sections));
  const wasThere = entriesOf(disk, page) !== undefined;
  try {
    // Before the record: after it nothing may need room on the disk.
    if (ensureFolder(disk, page)) syncFolder(disk, pagesPath(path));
    return stage(directory, folder, { name, generation, time }, source, tick);
  } catch (error) {
    // What cannot be undone now is left for recovery; the caller hears of what failed first.
    quietly(() => discardStage(directory, folder));
    if (!wasThere) quietly(() => removeFolder(disk, page, MANIFEST));
    throw error;
  }
}

function stage(
  directory: Directory,
  folder: string,
  about: Pick<Manifest, 'name' | 'generation' | 'time'>,
  source: PageSource,
  tick: Tick,
): Manifest {
  const { disk, path } = directory;
  const { fingerprint, cells, sections } = source.layout;
  const of = { generation: about.generation, publication: randomBytes(8).toString('hex') };
  const at = stagePath(path, folder);
  ensureFolder(disk, at);
  syncFolder(disk, stagingPath(path));
  const files = sections.map(({ kind, bytes }, index): SectionFile => {
    const file = `${at}/${sectionName(index, kind)}`;
    const checksum = writeFile(directory, file, { ...of, kind, index }, sectionOf(source, index), tick);
    return { kind, bytes, checksum };
  });
  const manifest: Manifest = { ...about, publication: of.publication, fingerprint, cells, sections: files };
  const text = textOf(directory, encodeManifest(manifest));
  writeFile(directory, `${at}/${DRAFT}`, { ...of, kind: MANIFEST_KIND, index: 0 }, text, () => {});
  // The record may get to the disk before the names of the other files do: it is discarded then.
  moveFile(disk, `${at}/${DRAFT}`, `${at}/${MANIFEST}`);
  syncFolder(disk, at);
  return manifest;
}

/** Better refused than found out with the last byte of the disk in use. */
function checkRoom({ disk, path }: Directory, page: string, needBytes: number): void {
  const freeBytes = doing(disk, 'looking at', path, () => disk.freeBytes(path));
  if (needBytes > freeBytes) throw new DiskFull({ path: page, needBytes, freeBytes });
}

const sectionOf = (source: PageSource, section: number): Content => ({
  bytes: source.layout.sections[section]?.bytes ?? 0,
  chunkBytes: source.chunkBytes,
  checksum: (offset, length, before) => source.checksum(section, offset, length, before),
  write: (file, offset, length) => source.write(file, section, offset, length),
});

const textOf = ({ disk }: Directory, text: Uint8Array): Content => ({
  bytes: text.length,
  checksum: (offset, length, before) => crc32(text.subarray(offset, offset + length), before),
  write: (file, offset, length) => disk.write(file, text.subarray(offset, offset + length), null),
});

function quietly(undo: () => void): void {
  try {
    undo();
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
  }
}
