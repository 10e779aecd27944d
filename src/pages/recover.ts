/**
 * Recovery: brings a page from whatever state a process left it in to one whole generation. A staging folder with a
 * manifest is a committed publication, whose moves are done again from where they ended; one without is nobody's any
 * more, since who comes here has claimed the page. For offload threads.
 */
import { PageCorrupt, TroupeError } from '../errors.js';
import { claimingFolder, type Directory } from './directory.js';
import { ensureFolder, entriesOf, moveFile, removeFile, removeFolder, syncFolder } from './disk.js';
import { readingFile } from './file.js';
import { MANIFEST, pagePath, pagesPath, sectionName, stagePath, stagingPath } from './layout.js';
import type { Manifest } from './manifest.js';
import { isFolderName } from './names.js';
import { readManifest } from './section.js';

/** What cannot be read, and why. */
export interface Damage {
  readonly path: string;
  readonly reason: string;
}

/** Settles every page of the folder; what cannot be settled is left as it is and told. Throws DiskFailure. */
export function recover(directory: Directory): Damage[] {
  const { disk, path } = directory;
  const folders = new Set([stagingPath(path), pagesPath(path)].flatMap((at) => entriesOf(disk, at) ?? []));
  const damage: Damage[] = [];
  for (const folder of folders) {
    if (!isFolderName(folder)) continue;
    try {
      claimingFolder(directory, folder, folder, () => settlePage(directory, folder));
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      damage.push({ path: pagePath(path, folder), reason: error.message });
    }
  }
  return damage;
}

/**
 * The same for one page, which the caller has claimed. A record that is damaged, or whose files are, is discarded: what is
 * left is the old generation, or says itself that it is none.
 */
export function settlePage(directory: Directory, folder: string): void {
  const { disk, path } = directory;
  const stage = stagePath(path, folder);
  const page = pagePath(path, folder);
  const staged = entriesOf(disk, stage);
  if (staged?.includes(MANIFEST)) {
    try {
      const manifest = readManifest(directory, stage);
      if (manifest !== undefined) finishStage(directory, folder, manifest);
    } catch (error) {
      if (!(error instanceof PageCorrupt)) throw error;
      discardStage(directory, folder);
    }
  } else if (staged !== undefined) {
    // Its manifest may have been moved and nothing be synced since: without the stage nobody would do that again.
    if (entriesOf(disk, page) !== undefined) syncFolder(disk, page);
    discardStage(directory, folder);
  }
  // What a removal, or a first publication that failed, has left of a page.
  if (entriesOf(disk, page)?.includes(MANIFEST) === false) removeFolder(disk, page, MANIFEST);
}

/** Nothing is staged any more; the record goes first, so that it never stands for files that are gone. */
export function discardStage({ disk, path }: Directory, folder: string): void {
  removeFolder(disk, stagePath(path, folder), MANIFEST);
}

/**
 * Moves a committed publication over the old generation. Each state in between is finished by doing it again: a file is in
 * the stage or in its place. Throws PageCorrupt when one is in neither; then nothing has been moved.
 */
export function finishStage(directory: Directory, folder: string, manifest: Manifest): void {
  const { disk, path } = directory;
  const stage = stagePath(path, folder);
  const page = pagePath(path, folder);
  const files = manifest.sections.map(({ kind }, index) => sectionName(index, kind));
  const staged = new Set(entriesOf(disk, stage));
  for (const file of files) {
    if (!staged.has(file)) checkMoved(directory, `${page}/${file}`, manifest.publication);
  }
  // It is not there where a publication failed and its record could not be taken back.
  if (ensureFolder(disk, page)) syncFolder(disk, pagesPath(path));
  for (const file of files) if (staged.has(file)) moveFile(disk, `${stage}/${file}`, `${page}/${file}`);
  for (const file of entriesOf(disk, page) ?? []) {
    if (file !== MANIFEST && !files.includes(file)) removeFile(disk, `${page}/${file}`);
  }
  // The manifest says that all is in place: it may not be there before the others are.
  syncFolder(disk, page);
  moveFile(disk, `${stage}/${MANIFEST}`, `${page}/${MANIFEST}`);
  syncFolder(disk, page);
  removeFolder(disk, stage, MANIFEST);
}

function checkMoved(directory: Directory, file: string, publication: string): void {
  readingFile(directory, file, ({ header }) => {
    if (header.publication === publication) return;
    throw new PageCorrupt({ what: file, reason: 'it is of another publication than its manifest' });
  });
}
