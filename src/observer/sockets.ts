/**
 * Control sockets in a data folder: one a process, called after its number, for its owner only.
 *
 * A second troupe of one process has `-2` behind its number. Sockets of processes that are gone are swept away by the
 * next one that opens its own.
 */
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { ObserverFailed } from '../errors.js';
import { isOwn } from '../user.js';

/** What the address of a socket has room for, in bytes: 104 with a closing 0 on macOS, 108 on Linux. */
const MAX_PATH_BYTES = 103;
/** Troupes of one process that can be observed. */
const MAX_OF_PROCESS = 9;
/** Whether a socket is listened to shows at once; a listener that is busy is one too. */
const CONNECT_MS = 1_000;
/** Sockets of one folder that are looked at. */
const MAX_LOOKED_AT = 100;

const SOCKET = /^((\d+)(?:-\d+)?)\.sock$/;

/** Of a troupe: its process's number, with `-2` and so on for a further one of the process. */
export type Label = string;

/** Throws `ObserverFailed` when the folder's path is too long for a socket. */
export function socketPath(dir: string, label: Label): string {
  const path = join(dir, `${label}.sock`);
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_PATH_BYTES) return path;
  const reason = `the path of a socket has at most ${MAX_PATH_BYTES} bytes, and this one ${bytes}; name a shorter folder`;
  throw new ObserverFailed({ what: path, reason });
}

/** The troupes of a folder, lowest process number first; some may be gone. None when there is no such folder. */
export function labelsIn(dir: string): Label[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  const labels = names.flatMap((name) => {
    const label = SOCKET.exec(name)?.[1];
    return label !== undefined && isOwnSocket(join(dir, name)) ? [label] : [];
  });
  return labels.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** Whatever else may lie in the folder, or was put there by another user, is left alone. */
function isOwnSocket(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isSocket() === true && isOwn(found.uid);
}

/** Those of them to which somebody listens. */
export async function livingIn(dir: string): Promise<Label[]> {
  const labels = labelsIn(dir).slice(0, MAX_LOOKED_AT);
  const living = await Promise.all(labels.map((label) => isHeard(join(dir, `${label}.sock`))));
  return labels.filter((_, i) => living[i] !== false);
}

/**
 * Listens at the next free label of a process. The socket is made in a folder that only its owner can enter and moved
 * to its place when it is ready, so that it is never open to others and never there without a listener.
 */
export async function listen(server: Server, dir: string, pid: number): Promise<string> {
  await sweep(dir, pid);
  socketPath(dir, pid.toString());
  const folder = mkdtempSync(join(dir, '.new-'));
  try {
    const made = join(folder, 's');
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(made, () => {
        server.off('error', reject);
        resolve();
      });
    });
    chmodSync(made, 0o600);
    const path = freePath(dir, pid);
    renameSync(made, path);
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function freePath(dir: string, pid: number): string {
  for (let i = 1; i <= MAX_OF_PROCESS; i++) {
    const path = socketPath(dir, i === 1 ? `${pid}` : `${pid}-${i}`);
    if (!existsSync(path)) return path;
  }
  throw new ObserverFailed({ what: `process ${pid}`, reason: `it has ${MAX_OF_PROCESS} troupes already` });
}

/** Removes the sockets to which nobody listens, of processes that are gone or had this one's number. */
async function sweep(dir: string, pid: number): Promise<void> {
  const labels = labelsIn(dir).slice(0, MAX_LOOKED_AT);
  await Promise.all(
    labels.map(async (label) => {
      const owner = Number.parseInt(label, 10);
      if (owner !== pid && isAlive(owner)) return;
      const path = join(dir, `${label}.sock`);
      if ((await isHeard(path)) === false) rmSync(path, { force: true });
    }),
  );
}

/** Whether somebody listens to a socket; undefined when that does not show. */
async function isHeard(path: string): Promise<boolean | undefined> {
  try {
    (await reach(path)).destroy();
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? false : undefined;
  }
}

/** Another user's process is alive too. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Connects to a socket. Rejects with the system's error, or after a second. */
export function reach(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error(`no connection within ${CONNECT_MS} ms`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
