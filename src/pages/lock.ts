/**
 * Who owns a folder of pages: the process that holds the kernel's lock on its file `lock`. The kernel drops the lock when
 * that process is gone, however it went; the text in the file only says who it was, for whoever is refused.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DirectoryInUse, FolderNotOwn } from '../errors.js';
import type { NativeFiles } from '../native/addon.js';
import type { Directory } from './directory.js';
import { doing, ensureFolder, realDisk, syncFolder } from './disk.js';
import { lockPath, pagesPath, stagingPath } from './layout.js';
import { notOwn } from './own-folder.js';

interface Holder {
  readonly pid: number;
  /** When it took the folder, as ISO 8601. */
  readonly since: string;
  readonly program: string;
}

/** Takes the folder, made if it is not there. Throws FolderNotOwn, DirectoryInUse, DiskFull, DiskFailure. */
export function lockDirectory(path: string, files: NativeFiles): Directory {
  const disk = realDisk;
  const first = doing(disk, 'making', path, () => mkdirSync(path, { recursive: true, mode: 0o700 }));
  if (first !== undefined) syncFolder(disk, dirname(first));
  const reason = doing(disk, 'looking at', path, () => notOwn(path));
  if (reason !== undefined) throw new FolderNotOwn({ dir: path, reason });
  const file = lockPath(path);
  const lock = doing(disk, 'lock', file, () => files.lock(file));
  if (lock === 0) throw new DirectoryInUse({ dir: path, holder: holderOf(file) });
  try {
    doing(disk, 'writing', file, () => writeFileSync(file, JSON.stringify(self())));
    const made = [pagesPath(path), stagingPath(path)].filter((folder) => ensureFolder(disk, folder));
    if (made.length > 0) syncFolder(disk, path);
    return { path, lock, disk, files };
  } catch (error) {
    files.unlock(lock);
    throw error;
  }
}

const self = (): Holder => ({
  pid: process.pid,
  since: new Date().toISOString(),
  program: process.argv.slice(0, 2).join(' '),
});

function holderOf(file: string): string {
  try {
    const { pid, since, program } = JSON.parse(readFileSync(file, 'utf8')) as Holder;
    if (pid === process.pid) return `this process, since ${since}`;
    return `process ${pid} (${program}), since ${since}`;
  } catch {
    return 'another process, which has not yet said who it is';
  }
}
