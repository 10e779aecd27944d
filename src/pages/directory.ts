/**
 * A folder of pages that belongs to this process, as plain data that any of its threads may use; and the claim of one
 * page in it, which keeps writers out while a reader reads and the other way round.
 */
import { PageBusy } from '../errors.js';
import type { NativeFiles } from '../native/addon.js';
import type { Disk } from './disk.js';
import { checkPageName, folderName } from './names.js';

export interface Directory {
  readonly path: string;
  /** Number of the lock by which this process owns it. */
  readonly lock: number;
  readonly disk: Disk;
  readonly files: Pick<NativeFiles, 'claim' | 'unclaim'>;
}

/** Runs `body` while nobody else in this process touches the page. Throws PageBusy, BadArgument. */
export function claiming<T>(directory: Directory, name: string, body: (folder: string) => T): T {
  return claimingFolder(directory, folderName(checkPageName(name)), name, body);
}

/** The same for a folder of which only the folder is known yet; `called` is what errors call it. */
export function claimingFolder<T>(
  { files, lock }: Directory,
  folder: string,
  called: string,
  body: (folder: string) => T,
): T {
  if (!files.claim(lock, folder)) throw new PageBusy({ name: called });
  try {
    return body(folder);
  } finally {
    files.unclaim(lock, folder);
  }
}
