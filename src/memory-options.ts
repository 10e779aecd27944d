/**
 * Options of the memory budget: what may be held where, in bytes, and where pages go on disk.
 */
import { existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkFields, checkText, checkWhole } from './check.js';
import { availableMemory } from './host-memory.js';

export interface MemoryOptions {
  /**
   * What the device may hold; default: not managed. Models are computed on the CPU, in host memory, so the two are one pool,
   * which has the smaller of both budgets.
   */
  readonly device?: number;
  /** Weights, context, genes and pages together; default: what the system or the container leaves at the start. */
  readonly host?: number;
  /** Pages on disk; default: half of what is free there, for the disk is others' too. */
  readonly disk?: number;
  /** Pages in memory, contexts of minds that have no lane; default: half of what `host` leaves beside weights and KV. */
  readonly pages?: number;
  /**
   * Checkpoints: states that lanes of models which cannot be cut back (recurrent, hybrid, sliding window) are taken back to;
   * default: an eighth of what `host` leaves.
   */
  readonly checkpoints?: number;
  /** Folder of pages on disk, which belongs to one process at a time; default: `pages` in the data folder. */
  readonly dir?: string;
}

export interface CheckedMemoryOptions {
  readonly deviceBytes: number | undefined;
  readonly hostBytes: number;
  readonly diskBytes: number;
  readonly pageBytes: number | undefined;
  readonly checkpointBytes: number | undefined;
  readonly pageDir: string;
}

/** Of the free space, for pages. */
const DISK_SHARE = 1 / 2;

/** `dir`: the data folder. */
export function checkMemoryOptions(options: unknown, dir: string): CheckedMemoryOptions {
  const where = 'options.memory';
  const given = checkFields<MemoryOptions>(options, where, [
    'device',
    'host',
    'disk',
    'pages',
    'checkpoints',
    'dir',
  ]);
  const bytes = (field: Exclude<keyof MemoryOptions, 'dir'>, least: number): number | undefined =>
    checkWhole(given[field], `${where}.${field}`, least, Number.MAX_SAFE_INTEGER);
  const pageDir = checkText(given.dir, `${where}.dir`, join(dir, 'pages'));
  return {
    deviceBytes: bytes('device', 1),
    hostBytes: bytes('host', 1) ?? availableMemory(),
    diskBytes: bytes('disk', 0) ?? Math.floor(freeSpace(pageDir) * DISK_SHARE),
    pageBytes: bytes('pages', 0),
    checkpointBytes: bytes('checkpoints', 0),
    pageDir,
  };
}

/** Bytes free where a folder is, or will be made. */
function freeSpace(folder: string): number {
  let there = resolve(folder);
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  return bavail * bsize;
}
