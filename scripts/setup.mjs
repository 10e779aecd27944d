/**
 * Makes a checkout ready to run: packages, the addon, the compiled sources; each only when it is not current.
 *
 * Runs on Node alone, before anything is installed. When all is current it reads and hashes the sources (tens of
 * milliseconds), says nothing and touches no network.
 */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildNative, nativeIsCurrent } from '../native/build.mjs';
import { withLock } from '../native/llama/cache.mjs';
import { installPackages, packagesInstalled } from './packages.mjs';
import { progress } from './progress.mjs';
import { explainMissing, missingTools, surveyTools } from './tools.mjs';
import { compileSources, distIsCurrent } from './typescript.mjs';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** A message for a person, with no stack: something outside the project must change first. */
export class SetupError extends Error {}

const STEPS = [
  {
    what: 'installing packages',
    needsTools: true,
    current: () => packagesInstalled(ROOT),
    act: ({ during }) => during('installing packages (npm install)', () => installPackages(ROOT)),
  },
  {
    what: 'building the native addon',
    needsTools: true,
    current: () => nativeIsCurrent(),
    act: ({ say, during }) =>
      during('building the native addon (a first build takes minutes)', () => buildNative({ say })),
  },
  {
    what: 'compiling TypeScript',
    needsTools: false,
    current: () => distIsCurrent(ROOT),
    act: ({ say }) => {
      say('compiling TypeScript');
      compileSources(ROOT);
    },
  },
];

/** Brings everything up to date. Throws `SetupError` when a tool is missing or a step fails. */
export async function setup({ report = progress() } = {}) {
  const stale = STEPS.filter(({ current }) => !current());
  if (stale.length === 0) return;
  const missing = stale.some(({ needsTools }) => needsTools) ? missingTools(surveyTools()) : [];
  if (missing.length > 0) throw new SetupError(explainMissing(missing));
  await withLock(join(ROOT, '.setup'), report.say, async () => {
    for (const { what, current, act } of STEPS) {
      if (current()) continue;
      try {
        await act(report);
      } catch (error) {
        throw new SetupError(`${what} failed: ${error.message}`, { cause: error });
      }
    }
    report.say('ready');
  });
}

/** `setup` for a command's entry: ends the process with the message when it cannot be done. */
export async function setupOrExit() {
  try {
    await setup();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exit(1);
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await setupOrExit();
