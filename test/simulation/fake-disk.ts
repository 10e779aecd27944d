/**
 * A file system in memory, as page files use one, that can be made to fail at a given step: with one error, or for want of
 * room from that step on.
 */
import { dirname } from 'node:path';
import type { Disk } from '../../src/pages/disk.js';

/** Folder of pages. */
export const DIR = '/pages-of-minds';

/** Which of the steps to come that change something fails, and how: a full disk fails whatever needs room from there on. */
export interface DiskTrouble {
  readonly code: 'EIO' | 'ENOSPC';
  after: number;
}

interface Opened {
  readonly path: string;
  readonly file: { bytes: Uint8Array };
  at: number;
}

/** Steps that a full disk refuses. */
const NEED_ROOM = ['open', 'write', 'mkdir'];
const FREE_BYTES = 2 ** 40;

export class FakeDisk implements Disk {
  #files = new Map<string, { bytes: Uint8Array }>();
  #folders = new Set<string>();
  readonly #opened = new Map<number, Opened>();
  #last = 2;
  trouble: DiskTrouble | undefined;
  /** Whether it has come. */
  struck = false;

  constructor(folders: readonly string[]) {
    for (const folder of folders) this.#folders.add(folder);
  }

  /** The same files, and no trouble. */
  copy(): FakeDisk {
    const disk = new FakeDisk([...this.#folders]);
    disk.#files = new Map([...this.#files].map(([path, { bytes }]) => [path, { bytes: bytes.slice() }]));
    return disk;
  }

  /** Whole paths, of those under a folder. */
  paths(under: string): string[] {
    return [...this.#files.keys()].filter((path) => path.startsWith(`${under}/`)).sort();
  }

  /** Changes one byte of a file, so that it is another. */
  spoil(path: string, at: number): void {
    const { bytes } = this.#file(path, 'spoil');
    bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ 0x55;
  }

  open(path: string, flags: 'r' | 'wx'): number {
    const isFolder = this.#folders.has(path);
    if (flags === 'wx') {
      this.#step('open');
      if (this.#files.has(path) || isFolder) throw failed('EEXIST', 'open');
      this.#folder(dirname(path), 'open');
      this.#files.set(path, { bytes: new Uint8Array() });
    }
    const file = isFolder ? { bytes: new Uint8Array() } : this.#file(path, 'open');
    this.#opened.set(++this.#last, { path, file, at: 0 });
    return this.#last;
  }

  close(file: number): void {
    this.#opened.delete(file);
  }

  write(file: number, bytes: Uint8Array, position: number | null): number {
    this.#step('write');
    const opened = this.#open(file, 'write');
    const at = position ?? opened.at;
    const end = Math.max(opened.file.bytes.length, at + bytes.length);
    const grown = new Uint8Array(end);
    grown.set(opened.file.bytes);
    grown.set(bytes, at);
    opened.file.bytes = grown;
    if (position === null) opened.at += bytes.length;
    return bytes.length;
  }

  read(file: number, bytes: Uint8Array): number {
    const opened = this.#open(file, 'read');
    const part = opened.file.bytes.subarray(opened.at, opened.at + bytes.length);
    bytes.set(part);
    opened.at += part.length;
    return part.length;
  }

  size(file: number): number {
    return this.#open(file, 'fstat').file.bytes.length;
  }

  sync(file: number): void {
    this.#step('fsync');
    this.#open(file, 'fsync');
  }

  rename(from: string, to: string): void {
    this.#step('rename');
    const file = this.#file(from, 'rename');
    this.#folder(dirname(to), 'rename');
    this.#files.delete(from);
    this.#files.set(to, file);
  }

  unlink(path: string): void {
    this.#step('unlink');
    this.#file(path, 'unlink');
    this.#files.delete(path);
  }

  makeFolder(path: string): void {
    if (this.#folders.has(path)) throw failed('EEXIST', 'mkdir');
    this.#step('mkdir');
    this.#folder(dirname(path), 'mkdir');
    this.#folders.add(path);
  }

  removeFolder(path: string): void {
    this.#step('rmdir');
    this.#folder(path, 'rmdir');
    if (this.entries(path).length > 0) throw failed('ENOTEMPTY', 'rmdir');
    this.#folders.delete(path);
  }

  entries(path: string): string[] {
    this.#folder(path, 'scandir');
    const inside = [...this.#files.keys(), ...this.#folders].filter((one) => dirname(one) === path);
    return inside.map((one) => one.slice(path.length + 1)).sort();
  }

  freeBytes = (): number => FREE_BYTES;

  #step(operation: string): void {
    const { trouble } = this;
    if (trouble === undefined || --trouble.after > 0) return;
    const isFull = trouble.code === 'ENOSPC';
    if (isFull && !NEED_ROOM.includes(operation)) return;
    this.struck = true;
    if (!isFull) this.trouble = undefined;
    throw failed(trouble.code, operation);
  }

  #file(path: string, operation: string): { bytes: Uint8Array } {
    const file = this.#files.get(path);
    if (file === undefined) throw failed('ENOENT', operation);
    return file;
  }

  #folder(path: string, operation: string): void {
    if (!this.#folders.has(path)) throw failed('ENOENT', operation);
  }

  #open(file: number, operation: string): Opened {
    const opened = this.#opened.get(file);
    if (opened === undefined) throw failed('EBADF', operation);
    return opened;
  }
}

const WORDS = { ENOSPC: 'no space left on device', EIO: 'input/output error' } as const;

const failed = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${code}: ${WORDS[code as keyof typeof WORDS] ?? 'as it is'}, ${syscall}`), {
    code,
    syscall,
  });
