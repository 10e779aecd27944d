/**
 * Options of the memory budget: what may be held where, in bytes, and where pages go on disk.
 */
import { checkFields, checkText, checkWhole } from './check.js';
import { BadArgument } from './errors.js';
import { availableMemory } from './host-memory.js';
import { freeSpace } from './page-folder.js';

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
  /**
   * Folder of pages on disk, which belongs to one process at a time; default: `pages` in `options.dir` where that is given, else
   * `troupe/pages` among the user's lasting data: in `$XDG_STATE_HOME`, or `~/.local/state` (macOS: `~/Library/Application
   * Support`, Windows: `%LOCALAPPDATA%`), or in the data folder where there can be none.
   */
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

/** `ownPageDir`: where pages go if these options do not say so. */
export function checkMemoryOptions(options: unknown, ownPageDir: string): CheckedMemoryOptions {
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
  const pageDir = checkFolder(given.dir, `${where}.dir`, ownPageDir);
  return {
    deviceBytes: bytes('device', 1),
    hostBytes: bytes('host', 1) ?? availableMemory(),
    diskBytes: bytes('disk', 0) ?? Math.floor(freeSpace(pageDir) * DISK_SHARE),
    pageBytes: bytes('pages', 0),
    checkpointBytes: bytes('checkpoints', 0),
    pageDir,
  };
}

/** A path that may be a folder's. */
function checkFolder(value: unknown, argument: string, missing: string): string {
  const path = checkText(value, argument, missing);
  if (path !== '' && !path.includes('\0')) return path;
  throw new BadArgument({ argument, value: path, expected: 'the path of a folder' });
}
