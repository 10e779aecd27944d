/**
 * Builds the native addon: llama.cpp as static libraries in the library cache (slow, once), then our addon
 * against them in `native/build` (fast). When nothing changed, a stamp says so within milliseconds.
 *
 * As a script: `node native/build.mjs`. Options for other backends: `TROUPE_CMAKE_ARGS=-DGGML_CUDA=ON`.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, withLock } from './llama/cache.mjs';
import { run } from './llama/command.mjs';
import { extraOptions, llamaLibraries } from './llama/libraries.mjs';

const ROOT = dirname(fileURLToPath(import.meta.url));
const BUILD = join(ROOT, 'build');
const STAMP = join(BUILD, 'stamp.json');
const ADDON = join(BUILD, 'Release', 'troupe.node');

/**
 * @param {{ say: (line: string) => void, args?: string[] }} options `say` hears what is being done, a line
 *   each; `args`: more CMake options, after those of `TROUPE_CMAKE_ARGS`
 * @returns {Promise<{ addon: string, built: boolean }>} where the addon is, and whether anything was built
 */
export async function buildNative({ say, args = [] }) {
  const options = [...extraOptions(), ...args];
  const inputs = inputsKey(options);
  if (isCurrent(inputs)) return { addon: ADDON, built: false };
  const libraries = await llamaLibraries({ say, args: options });
  await withLock(cacheFolder(), say, () => compileAddon(libraries, inputs, say));
  return { addon: ADDON, built: true };
}

/** Whether `buildNative` would have nothing to do. */
export const nativeIsCurrent = (args = []) => isCurrent(inputsKey([...extraOptions(), ...args]));

const isCurrent = (inputs) => readStamp()?.inputs === inputs && isFile(ADDON);

async function compileAddon(libraries, inputs, say) {
  say('compiling the addon');
  // CMake keeps absolute paths, and the options that it was first given: what moved, or asks for others, starts anew.
  const rules = createHash('sha256')
    .update(readFileSync(join(ROOT, 'CMakeLists.txt')))
    .digest('hex');
  const configuration = `${libraries.key} ${process.versions.modules} ${process.arch} ${ROOT} ${rules}`;
  if (readStamp()?.configuration !== configuration) await rm(BUILD, { recursive: true, force: true });
  // Until the build has ended the stamp vouches for the folder only, not for what is in it.
  await mkdir(BUILD, { recursive: true });
  await writeFile(STAMP, JSON.stringify({ configuration }));
  const require = createRequire(import.meta.url);
  const cmakeJs = join(dirname(require.resolve('cmake-js/package.json')), 'bin', 'cmake-js');
  await run(process.execPath, [
    cmakeJs,
    'build',
    ...['--directory', ROOT, '--out', BUILD, '--parallel', String(availableParallelism())],
    `--CDTROUPE_LIBRARIES=${libraries.folder}`,
    `--CDTROUPE_LLAMA_SOURCE=${libraries.source}`,
  ]);
  await writeFile(STAMP, JSON.stringify({ inputs, configuration }));
  say('the addon is built');
}

/** All that the addon is made from, as one short text; cheap enough to ask at every start. */
function inputsKey(options) {
  const files = ['', 'src', 'llama'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(folder, entry.name)),
  );
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)));
  hash.update(JSON.stringify([options, process.env.CXX, process.env.CC, cacheFolder(), processor()]));
  return hash.update(process.versions.modules).digest('hex');
}

/** A checkout may move to another machine with its build folder; code for the old processor would crash. */
function processor() {
  const model = cpus()[0]?.model;
  if (process.platform !== 'linux') return [process.arch, model];
  return [process.arch, model, /^(flags|Features)\s*:.*$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[0]];
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return undefined;
  }
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { addon, built } = await buildNative({ say: (line) => console.log(line) });
    if (!built) console.log(`${addon} is up to date`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
