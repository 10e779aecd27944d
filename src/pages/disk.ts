/**
 * The file system as page files use it: a dozen blocking calls, so that a test can put one in its place that fails or
 * stops at a given call; and the typed errors that its failures become. For threads that may block.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DiskFailure, DiskFull } from '../errors.js';

export interface Disk {
  /** `wx` makes a file that must not be there yet. Folders can be opened with `r`, to be synced. */
  open(path: string, flags: 'r' | 'wx'): number;
  close(file: number): void;
  /** Writes where the file stands, or at `position`. Answers how many bytes; maybe not all. */
  write(file: number, bytes: Uint8Array, position: number | null): number;
  /** Reads where the file stands. Answers how many bytes; 0 at its end. */
  read(file: number, bytes: Uint8Array): number;
  size(file: number): number;
  sync(file: number): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  entries(path: string): string[];
  /** Bytes that this user may still write. */
  freeBytes(path: string): number;
}

export const realDisk: Disk = {
  open: (path, flags) => openSync(path, flags, 0o600),
  close: closeSync,
  write: (file, bytes, position) => writeSync(file, bytes, 0, bytes.length, position),
  read: (file, bytes) => readSync(file, bytes, 0, bytes.length, null),
  size: (file) => fstatSync(file).size,
  sync: fsyncSync,
  rename: renameSync,
  unlink: unlinkSync,
  makeFolder: (path) => mkdirSync(path, { mode: 0o700 }),
  removeFolder: rmdirSync,
  entries: (path) => readdirSync(path),
  freeBytes: (path) => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  },
};

const FULL = ['ENOSPC', 'EDQUOT'];
/** How native code says it: the words of strerror. */
const FULL_WORDS = /no space left|quota exceeded/i;

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

export const isAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT';
export const isPresent = (error: unknown): boolean => codeOf(error) === 'EEXIST';
const isFull = (error: unknown): boolean =>
  FULL.includes(String(codeOf(error))) || FULL_WORDS.test(String((error as Error | undefined)?.message));

/** Does one step on `path`; a failure of the file system becomes DiskFull or DiskFailure, and others pass. */
export function doing<T>(disk: Disk, operation: string, path: string, step: () => T, needBytes = 0): T {
  try {
    return step();
  } catch (error) {
    throw asDiskError(disk, operation, path, error, needBytes);
  }
}

function asDiskError(
  disk: Disk,
  operation: string,
  path: string,
  error: unknown,
  needBytes: number,
): unknown {
  if (isFull(error))
    return new DiskFull({ path, needBytes, freeBytes: freeNear(disk, path) }, { cause: error });
  const { syscall } = error as { syscall?: unknown };
  if (typeof syscall !== 'string' && codeOf(error) !== 'NativeFailure') return error;
  return new DiskFailure({ path, operation, reason: (error as Error).message }, { cause: error });
}

function freeNear(disk: Disk, path: string): number {
  try {
    return disk.freeBytes(dirname(path));
  } catch {
    return 0;
  }
}

/** Makes what was done to the names in a folder lasting. */
export function syncFolder(disk: Disk, path: string): void {
  doing(disk, 'sync', path, () => {
    const folder = disk.open(path, 'r');
    try {
      disk.sync(folder);
    } finally {
      disk.close(folder);
    }
  });
}

/** The names in a folder; undefined if there is no such folder. */
export function entriesOf(disk: Disk, path: string): string[] | undefined {
  try {
    return disk.entries(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw asDiskError(disk, 'listing', path, error, 0);
  }
}

/** Makes a folder unless it is there. Answers whether it was made. */
export function ensureFolder(disk: Disk, path: string): boolean {
  return doing(disk, 'making', path, () => {
    try {
      disk.makeFolder(path);
      return true;
    } catch (error) {
      if (isPresent(error)) return false;
      throw error;
    }
  });
}

/** Removes a folder with the files in it, `first` before the others. */
export function removeFolder(disk: Disk, path: string, first: string): void {
  const entries = entriesOf(disk, path);
  if (entries === undefined) return;
  if (entries.includes(first)) {
    removeFile(disk, join(path, first));
    syncFolder(disk, path);
  }
  for (const entry of entries) if (entry !== first) removeFile(disk, join(path, entry));
  doing(disk, 'removing', path, () => disk.removeFolder(path));
  syncFolder(disk, dirname(path));
}

export function removeFile(disk: Disk, path: string): void {
  doing(disk, 'removing', path, () => disk.unlink(path));
}

export function moveFile(disk: Disk, from: string, to: string): void {
  doing(disk, 'moving', from, () => disk.rename(from, to));
}
