/**
 * How llama.cpp's source comes in: from the git bundle inside the npm package node-llama-cpp, which is fetched
 * as a tarball, verified and never installed (installing it would bring hundreds of megabytes of binaries).
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, publish } from './cache.mjs';
import { run } from './command.mjs';

export const LLAMA_VERSION = 'v0.5.0';
const PACKAGE = 'node-llama-cpp';
const PACKAGE_VERSION = '3.22.1';
const TARBALL = `${PACKAGE}-${PACKAGE_VERSION}.tgz`;
const SHA512 = 'bltIipuWmc123H7tMIgDGKSsSrhmhlQYeVUC48XTjVW7XGJJiJJyCdlTMzQ/LiWoPkGDpcL4FviDpgw7qfTiDw==';
const BUNDLE = 'package/llama/gitRelease.bundle';
const HOOK = join(dirname(fileURLToPath(import.meta.url)), 'hook.patch');

/** The patch that our addon needs in llama.cpp, and a short name for its content; undefined if there is none. */
export async function readHook() {
  try {
    const text = await readFile(HOOK);
    return { path: HOOK, hash: createHash('sha256').update(text).digest('hex').slice(0, 12) };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Where llama.cpp's source with a patch is, or as it comes; what is there is complete. */
export const sourceFolder = (cache, hook) =>
  join(cache, 'source', `llama-${LLAMA_VERSION}-${hook?.hash ?? 'plain'}`);

/**
 * The folder of llama.cpp's source with a patch applied, or as it is, made if it is not there. The caller holds the lock.
 * @param {string} cache
 * @param {(line: string) => void} say
 * @param {{ path: string, hash: string }} [hook]
 */
export async function llamaSource(cache, say, hook) {
  const folder = sourceFolder(cache, hook);
  if (await exists(folder)) return folder;
  const tarball = await fetchTarball(cache, say);
  say(`unpacking llama.cpp ${LLAMA_VERSION}`);
  await publish(folder, async (part) => {
    const unpacked = `${part}-bundle`;
    await mkdir(unpacked, { recursive: true });
    try {
      await run('tar', ['-xzf', tarball, '-C', unpacked, BUNDLE]);
      await git(['clone', '--quiet', join(unpacked, BUNDLE), part]);
      if (hook) await git(['-C', part, 'apply', '--whitespace=nowarn', hook.path]);
    } finally {
      await rm(unpacked, { recursive: true, force: true });
    }
  });
  return folder;
}

const git = (args) =>
  run('git', [
    '-c',
    'safe.directory=*',
    '-c',
    'core.autocrlf=false',
    '-c',
    'advice.detachedHead=false',
    ...args,
  ]);

async function fetchTarball(cache, say) {
  const path = join(cache, 'downloads', TARBALL);
  if ((await exists(path)) && (await sha512(path)) === SHA512) return path;
  say(`fetching llama.cpp ${LLAMA_VERSION} (35 MB) from the npm registry`);
  const arrived = join(cache, 'downloads', `part-${process.pid}`);
  await mkdir(arrived, { recursive: true });
  try {
    const spec = `${PACKAGE}@${PACKAGE_VERSION}`;
    await run('npm', ['pack', spec, '--ignore-scripts', '--silent', '--pack-destination', arrived]);
    const actual = await sha512(join(arrived, TARBALL));
    if (actual !== SHA512) throw new Error(`${TARBALL} has sha512 ${actual}; expected ${SHA512}`);
    await rename(join(arrived, TARBALL), path);
  } finally {
    await rm(arrived, { recursive: true, force: true });
  }
  return path;
}

async function sha512(path) {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('base64');
}
