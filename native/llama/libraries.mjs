/**
 * Stage one of the build: llama.cpp and ggml as static libraries in the library cache, keyed by all that
 * shapes them: version, hook, compiler, options, and the processor that `-march=native` stands for.
 */
import { createHash } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, exists, publish, withLock } from './cache.mjs';
import { run } from './command.mjs';
import { LLAMA_VERSION, llamaSource, readHook, sourceFolder } from './source.mjs';

const SAY_EVERY_MS = 3_000;

const OPTIONS = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DCMAKE_POSITION_INDEPENDENT_CODE=ON',
  '-DCMAKE_INSTALL_LIBDIR=lib',
  '-DBUILD_SHARED_LIBS=OFF',
  '-DGGML_NATIVE=ON',
  // ggml's own thread pool: OpenMP's would be one per process and cannot be stopped with a context.
  '-DGGML_OPENMP=OFF',
  '-DLLAMA_BUILD_COMMON=OFF',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_TOOLS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DLLAMA_BUILD_SERVER=OFF',
  '-DLLAMA_BUILD_APP=OFF',
];

/** More CMake options, as `TROUPE_CMAKE_ARGS=-DGGML_CUDA=ON`, for other backends. */
export const extraOptions = (env = process.env) => (env.TROUPE_CMAKE_ARGS ?? '').split(/\s+/).filter(Boolean);

/**
 * The folder with `lib`, `include` and CMake's package files, built if it is not there, and the source it was built from.
 * @param {{ say: (line: string) => void, args?: string[] }} options
 * @returns {Promise<{ folder: string, source: string, key: string }>}
 */
export const llamaLibraries = async (options) => libraries(await readHook(), options);

/** The same of llama.cpp as it comes, without the hook: what others are measured with. */
export const plainLibraries = (options) => libraries(undefined, options);

async function libraries(hook, { say, args = [] }) {
  const cache = cacheFolder();
  const options = [...OPTIONS, ...args];
  const key = await libraryKey(options, hook);
  const folder = join(cache, 'libraries', key);
  const unpacked = sourceFolder(cache, hook);
  if ((await exists(folder)) && (await exists(unpacked))) return { folder, source: unpacked, key };
  const source = await withLock(cache, say, async () => {
    const source = await llamaSource(cache, say, hook);
    if (await exists(folder)) return source;
    const generator = await pickGenerator();
    const work = join(cache, 'work', `${key}-${generator.replaceAll(' ', '-')}`);
    await compile(source, work, generator, options, say);
    await publish(folder, async (part) => {
      await run('cmake', ['--install', work, '--prefix', part]);
      // Not among the installed headers, and the only way to ask for bytes per buffer.
      await copyFile(join(source, 'src', 'llama-ext.h'), join(part, 'include', 'llama-ext.h'));
    });
    await rm(work, { recursive: true, force: true });
    return source;
  });
  return { folder, source, key };
}

async function libraryKey(options, hook) {
  const compiler = process.env.CXX || 'c++';
  const [version, native] = await Promise.all([
    run(compiler, ['--version']),
    // The driver's own line to the compiler proper spells out the processor's features.
    run(compiler, ['-march=native', '-E', '-v', '-x', 'c++', '/dev/null']).catch(() => process.arch),
  ]);
  const features = native.split('\n').filter((line) => /cc1/.test(line));
  const parts = [LLAMA_VERSION, hook?.hash ?? 'plain', process.platform, version, features, options];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

export const pickGenerator = () =>
  run('ninja', ['--version']).then(
    () => 'Ninja',
    () => 'Unix Makefiles',
  );

/** An interrupted compilation goes on where it stopped: its work folder stays until the libraries are published. */
async function compile(source, work, generator, options, say) {
  say(`configuring llama.cpp ${LLAMA_VERSION}`);
  await run('cmake', ['-S', source, '-B', work, '-G', generator, ...options]);
  let toldAt = 0;
  const onLine = (line) => {
    const progress = /^\[\s*(?:(\d+)\/(\d+)|(\d+)%)\]/.exec(line);
    if (!progress || Date.now() - toldAt < SAY_EVERY_MS) return;
    toldAt = Date.now();
    const [, done, all, percent] = progress;
    say(`compiling llama.cpp: ${percent === undefined ? `${done} of ${all}` : `${percent} %`}`);
  };
  await run('cmake', ['--build', work, '--parallel', String(availableParallelism())], { onLine });
}
