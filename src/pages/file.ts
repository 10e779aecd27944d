/**
 * One page file: written with its header, opened and checked against its header. In bounded chunks, between which whoever
 * waits can be told how far it came, and can end it.
 */
import { DiskFailure, PageCorrupt } from '../errors.js';
import type { Directory } from './directory.js';
import { type Disk, doing, isAbsent } from './disk.js';
import { decodeHeader, encodeHeader, type FileHeader, HEADER_BYTES } from './header.js';

/** Large enough for full speed, small enough to be stopped between two within tens of milliseconds. */
export const CHUNK_BYTES = 16 * 2 ** 20;

/** Hears of bytes that were moved; may throw to end it. */
export type Tick = (bytes: number) => void;

/** The content of a file that is to be written. */
export interface Content {
  readonly bytes: number;
  /** It comes in chunks of so many bytes; left out: of CHUNK_BYTES. */
  readonly chunkBytes?: number | undefined;
  checksum(offset: number, length: number, before: number): number;
  /** Writes where the file stands. Answers how many bytes; maybe not all. */
  write(file: number, offset: number, length: number): number;
}

/** Writes a new file and syncs it. Answers the checksum of its content. Throws DiskFull, DiskFailure. */
export function writeFile(
  { disk }: Directory,
  path: string,
  about: Omit<FileHeader, 'bytes' | 'checksum'>,
  content: Content,
  tick: Tick,
): number {
  const { bytes, chunkBytes = CHUNK_BYTES } = content;
  const file = doing(disk, 'making', path, () => disk.open(path, 'wx'));
  try {
    let checksum = 0;
    const writing = <T>(step: () => T): T => doing(disk, 'writing', path, step, bytes + HEADER_BYTES);
    writing(() => writeAll(path, HEADER_BYTES, () => disk.write(file, new Uint8Array(HEADER_BYTES), null)));
    for (let at = 0; at < bytes; at += chunkBytes) {
      const length = Math.min(chunkBytes, bytes - at);
      checksum = content.checksum(at, length, checksum);
      writing(() => writeAll(path, length, (done) => content.write(file, at + done, length - done)));
      tick(length);
    }
    const header = encodeHeader({ ...about, bytes, checksum });
    writing(() => writeAll(path, header.length, (done) => disk.write(file, header.subarray(done), done)));
    doing(disk, 'sync', path, () => disk.sync(file));
    return checksum;
  } finally {
    disk.close(file);
  }
}

/** Goes on after short writes; a write that takes nothing is a failure. */
function writeAll(path: string, bytes: number, write: (done: number) => number): void {
  let done = 0;
  while (done < bytes) {
    const written = write(done);
    if (written <= 0) {
      const reason = `the system took ${done} of ${bytes} bytes and then none`;
      throw new DiskFailure({ path, operation: 'writing', reason });
    }
    done += written;
  }
}

export interface OpenFile {
  readonly file: number;
  readonly header: FileHeader;
}

/** Runs `body` on a file that stands after its header and has the length it says. Throws PageCorrupt, DiskFailure. */
export function readingFile<T>({ disk }: Directory, path: string, body: (open: OpenFile) => T): T {
  const file = doing(disk, 'opening', path, () => openPresent(disk, path));
  try {
    const start = new Uint8Array(HEADER_BYTES);
    const got = doing(disk, 'reading', path, () =>
      readAll(start.length, (done) => disk.read(file, start.subarray(done))),
    );
    const header = decodeHeader(start.subarray(0, got));
    if (typeof header === 'string') throw new PageCorrupt({ what: path, reason: header });
    const expected = header.bytes + HEADER_BYTES;
    const actual = doing(disk, 'reading', path, () => disk.size(file));
    if (actual !== expected) {
      const reason = `it has ${actual} bytes, and its header says ${expected}`;
      throw new PageCorrupt({ what: path, reason });
    }
    return body({ file, header });
  } finally {
    disk.close(file);
  }
}

function openPresent(disk: Disk, path: string): number {
  try {
    return disk.open(path, 'r');
  } catch (error) {
    if (isAbsent(error)) throw new PageCorrupt({ what: path, reason: 'it is not there' });
    throw error;
  }
}

/** Reads until all is there or the file ends; answers how many bytes came. */
export function readAll(bytes: number, read: (done: number) => number): number {
  let done = 0;
  while (done < bytes) {
    const got = read(done);
    if (got <= 0) break;
    done += got;
  }
  return done;
}
