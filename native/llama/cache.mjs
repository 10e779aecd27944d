/**
 * The library cache: a folder outside the checkout for what is slow to get or to build, shared by checkouts.
 *
 * What is in it is complete: folders are filled under a temporary name and published by rename. One process
 * builds at a time; its lock is a file whose time it renews, so the lock of a dead process goes stale.
 */
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RENEW_MS = 5_000;
/** A lock not renewed for this long has no owner any more; many renewals must fail before that. */
const STALE_MS = 60_000;
const RETRY_MS = 500;

export function cacheFolder(env = process.env) {
  if (env.TROUPE_CACHE) return env.TROUPE_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'troupe');
}

export const exists = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * `fill(temporary)` makes the folder's content; it appears at `target` complete or not at all.
 * @param {string} target
 * @param {(temporary: string) => Promise<void>} fill
 */
export async function publish(target, fill) {
  const temporary = `${target}.part-${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  try {
    await fill(temporary);
    await rm(target, { recursive: true, force: true });
    await rename(temporary, target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Runs `work` while this process holds the cache's lock; `say` hears once whom it waits for.
 * @template T
 * @param {string} folder
 * @param {(line: string) => void} say
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(folder, say, work) {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'build.lock');
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() });
  let told = false;
  while (!(await create(path, mine))) {
    const owner = await readLock(path);
    if (owner === undefined) continue;
    if (owner.stale) {
      await removeStale(path, owner.text);
      continue;
    }
    if (!told) say(`waiting for another build in ${folder} (process ${owner.pid ?? 'unknown'})`);
    told = true;
    await sleep(RETRY_MS);
  }
  const renew = setInterval(() => utimes(path, new Date(), new Date()).catch(() => {}), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renew);
    if ((await readLock(path))?.text === mine) await rm(path, { force: true });
  }
}

async function create(path, text) {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(text);
    await file.close();
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readLock(path) {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const { pid, host } = parse(text);
    const dead = host === hostname() && Number.isInteger(pid) && !alive(pid);
    return { text, pid, stale: dead || Date.now() - mtimeMs > STALE_MS };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Two may find the same stale lock: only the text that was judged is removed, a newer one is put back. */
async function removeStale(path, judged) {
  const aside = `${path}.stale-${process.pid}-${Date.now()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const taken = await readFile(aside, 'utf8');
  if (taken !== judged) await create(path, taken);
  await rm(aside, { force: true });
}
