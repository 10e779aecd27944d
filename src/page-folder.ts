/**
 * Where pages lie on disk if nobody says so: in a folder that lasts, for a spilled page outlives its process, and on a disk, for
 * it is to free memory. The data folder is often neither: a runtime folder is memory, and gone when its user logs out.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Type of a file system in memory, as statfs(2) of Linux has it. */
const TMPFS = 0x01021994;

export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** undefined: the user has none. */
  readonly home: string | undefined;
}

/** Where programs keep what lasts from one run to the next, by the custom of the platform; undefined: nowhere. */
export function stateFolder({ platform, env, home }: Surroundings): string | undefined {
  const atHome = (...folders: string[]): string | undefined =>
    home === undefined ? undefined : join(home, ...folders);
  if (platform === 'darwin') return atHome('Library', 'Application Support');
  if (platform === 'win32') return env.LOCALAPPDATA || atHome('AppData', 'Local');
  // The rules for XDG folders have relative ones ignored.
  const given = env.XDG_STATE_HOME;
  return given !== undefined && isAbsolute(given) ? given : atHome('.local', 'state');
}

/** `pages` among the user's lasting data, else, where that cannot be, in the data folder. Makes nothing. */
export function defaultPageDir(dataDir: string): string {
  const { platform, env } = process;
  const state = stateFolder({ platform, env, home: ownHome() });
  const pages = state === undefined ? undefined : join(state, 'troupe', 'pages');
  return pages !== undefined && canBeMade(pages) ? pages : join(dataDir, 'pages');
}

/** Accounts of services have none, or one that is not there. */
function ownHome(): string | undefined {
  try {
    const home = homedir();
    return existsSync(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the folder is there or can be made, and can be written to. */
export function canBeMade(folder: string): boolean {
  const there = nearest(folder);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
    return statSync(there).isDirectory();
  } catch {
    return false;
  }
}

/** Whether the folder lies, or will, in memory rather than on a disk; known of Linux alone. */
export const isInMemory = (folder: string): boolean =>
  process.platform === 'linux' && statfsSync(nearest(folder)).type === TMPFS;

/** Bytes free where a folder is, or will be made. */
export function freeSpace(folder: string): number {
  const { bavail, bsize } = statfsSync(nearest(folder));
  return bavail * bsize;
}

/** The folder, or of those it will be made in the innermost that is there. */
function nearest(folder: string): string {
  let there = resolve(folder);
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  return there;
}
