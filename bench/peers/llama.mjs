/**
 * llama.cpp's own programs as peers: `llama-server` and `llama-batched-bench`, built once into the library cache
 * from the source that the addon is built from, with the same options, but without our hook.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, exists, publish, withLock } from '../../native/llama/cache.mjs';
import { run } from '../../native/llama/command.mjs';
import { plainLibraries } from '../../native/llama/libraries.mjs';

const PROGRAMS = ['llama-server', 'llama-batched-bench'];

const OPTIONS = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DBUILD_SHARED_LIBS=OFF',
  '-DLLAMA_USE_SYSTEM_GGML=ON',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DLLAMA_BUILD_APP=OFF',
  '-DLLAMA_OPENSSL=OFF',
  // Else the build tries to download a web page for the server.
  '-DLLAMA_USE_PREBUILT_UI=OFF',
];

/**
 * @param {{ say: (line: string) => void }} options
 * @returns {Promise<{ server: string, batchedBench: string }>} paths of the programs
 */
export async function llamaPrograms({ say }) {
  const cache = cacheFolder();
  const { folder: libraries, source, key } = await plainLibraries({ say });
  const folder = join(cache, 'bench', `programs-${key}`);
  if (!(await exists(folder))) {
    await withLock(join(cache, 'bench'), say, async () => {
      if (!(await exists(folder))) await build(source, libraries, folder, say);
    });
  }
  return { server: join(folder, 'llama-server'), batchedBench: join(folder, 'llama-batched-bench') };
}

async function build(source, libraries, folder, say) {
  say(`building the peers ${PROGRAMS.join(' and ')} (some minutes, once)`);
  const work = `${folder}.work`;
  const ninja = await run('ninja', ['--version']).then(
    () => ['-G', 'Ninja'],
    () => [],
  );
  await run('cmake', ['-S', source, '-B', work, ...ninja, `-DCMAKE_PREFIX_PATH=${libraries}`, ...OPTIONS]);
  let toldAt = Date.now();
  const onLine = (line) => {
    if (!line.startsWith('[') || Date.now() - toldAt < 10_000) return;
    toldAt = Date.now();
    say(line.slice(0, 60));
  };
  await run('nice', ['-n', '19', 'cmake', '--build', work, '--parallel', '2', '--target', ...PROGRAMS], {
    onLine,
  });
  await publish(folder, async (part) => {
    for (const program of PROGRAMS) await run('cp', [join(work, 'bin', program), part]);
  });
  await rm(work, { recursive: true, force: true });
}
