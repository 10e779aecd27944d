/**
 * The native tests: the addon's own code without Node, as plain executables.
 *
 * As a script: builds them, all under AddressSanitizer and UBSan with `--sanitize` (`npm run test:asan`), and runs them.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../llama/command.mjs';
import { extraOptions, llamaLibraries, pickGenerator } from '../llama/libraries.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const MODEL = fileURLToPath(new URL('../../models/parlour-tiny-F16.gguf', import.meta.url));
const TESTS = {
  arena: [],
  row_copy: [],
  page_store: [],
  state_layout: [],
  checkpoints: [],
  lanes: [MODEL],
  lane_window: [MODEL],
};

/**
 * Builds programs of `native/test` (all: none named), and answers the folder that they are in.
 * @param {{ say: (line: string) => void, sanitize?: boolean, targets?: string[] }} options
 */
export async function buildNativeTests({ say, sanitize = false, targets = [] }) {
  const { folder, source } = await llamaLibraries({ say, args: extraOptions() });
  const build = join(HERE, '..', sanitize ? 'build-asan' : 'build-test');
  say('compiling the native tests');
  await run('cmake', [
    ...['-S', HERE, '-B', build, '-G', await pickGenerator()],
    `-DCMAKE_BUILD_TYPE=${sanitize ? 'None' : 'Release'}`,
    `-DTROUPE_SANITIZE=${sanitize ? 'ON' : 'OFF'}`,
    `-DTROUPE_LIBRARIES=${folder}`,
    `-DTROUPE_LLAMA_SOURCE=${source}`,
  ]);
  const wanted = targets.flatMap((target) => ['--target', target]);
  await run('cmake', ['--build', build, '--parallel', String(availableParallelism()), ...wanted]);
  return build;
}

async function main() {
  const build = await buildNativeTests({ say: console.log, sanitize: process.argv.includes('--sanitize') });
  // llama.cpp itself is not instrumented: its vectors do not say how far they are filled.
  process.env.ASAN_OPTIONS = 'detect_container_overflow=0';
  for (const [name, options] of Object.entries(TESTS)) {
    await run(join(build, name), options);
    console.log(`${name} passed`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
