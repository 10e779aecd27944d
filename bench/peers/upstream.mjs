/**
 * llama.cpp as it comes, in a bare loop of its own (`upstream/loop.cc`): built once into the library cache against the
 * libraries that the other peers use, which know nothing of our hook. llama-batched-bench would not do: it ignores
 * adapters.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, exists, publish, withLock } from '../../native/llama/cache.mjs';
import { run } from '../../native/llama/command.mjs';
import { plainLibraries } from '../../native/llama/libraries.mjs';

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), 'upstream');

/**
 * @param {{ say: (line: string) => void }} options
 * @returns {Promise<string>} path of the program
 */
export async function upstreamLoop({ say }) {
  const cache = join(cacheFolder(), 'bench');
  const { folder: libraries, key } = await plainLibraries({ say });
  const folder = join(cache, `loop-${key}-${recipe()}`);
  if (!(await exists(folder))) {
    await withLock(cache, say, async () => {
      if (!(await exists(folder))) await build(libraries, folder, say);
    });
  }
  return join(folder, 'loop');
}

async function build(libraries, folder, say) {
  say("building upstream's bare loop (once)");
  const work = `${folder}.work`;
  await run('cmake', [
    ...['-S', SOURCE, '-B', work, `-DCMAKE_PREFIX_PATH=${libraries}`, '-DCMAKE_BUILD_TYPE=Release'],
  ]);
  await run('cmake', ['--build', work]);
  await publish(folder, (part) => run('cp', [join(work, 'loop'), part]));
  await rm(work, { recursive: true, force: true });
}

function recipe() {
  const hash = createHash('sha256');
  for (const file of readdirSync(SOURCE).sort()) hash.update(readFileSync(join(SOURCE, file)));
  return hash.digest('hex').slice(0, 12);
}
