/**
 * The tools that a build needs: what is looked for, and the sentence that says what is missing.
 *
 * Runs on Node alone. `surveyTools` looks at this machine; `missingTools` and `explainMissing` are pure.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const NODE_AT_LEAST = '20.17.0';
export const CMAKE_AT_LEAST = '3.19.0';

const WANTED = {
  npm: ['npm'],
  git: ['git'],
  cmake: ['cmake'],
  cc: ['cc', 'gcc', 'clang'],
  cxx: ['c++', 'g++', 'clang++'],
  builder: ['ninja', 'make'],
};

/** First executable of these names on the PATH, or undefined. */
export function onPath(names, path = process.env.PATH ?? '') {
  for (const name of names) {
    for (const folder of path.split(delimiter)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        if (statSync(file).isFile()) return file;
      } catch {
        // Not in this folder.
      }
    }
  }
  return undefined;
}

/** What this machine has: `{ node, npm, git, cmake, cmakeVersion, cc, cxx, builder }`, a path or undefined each. */
export function surveyTools(env = process.env) {
  const found = { node: process.versions.node };
  for (const [tool, names] of Object.entries(WANTED)) found[tool] = onPath(names, env.PATH);
  found.npm ??= env.npm_execpath;
  if (env.CC) found.cc = onPath([env.CC], env.PATH) ?? (env.CC.includes('/') ? env.CC : undefined);
  if (env.CXX) found.cxx = onPath([env.CXX], env.PATH) ?? (env.CXX.includes('/') ? env.CXX : undefined);
  if (found.cmake) found.cmakeVersion = cmakeVersion(found.cmake);
  return found;
}

function cmakeVersion(cmake) {
  const said = execFileSync(cmake, ['--version'], { encoding: 'utf8' });
  return /version (\d+\.\d+(\.\d+)?)/.exec(said)?.[1] ?? '0.0.0';
}

export function atLeast(version, least) {
  const [have, want] = [version, least].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10) || 0),
  );
  for (let i = 0; i < 3; i++) if ((have[i] ?? 0) !== (want[i] ?? 0)) return (have[i] ?? 0) > (want[i] ?? 0);
  return true;
}

const short = (version) => version.replace(/\.0$/, '');

/** What a survey lacks, as `{ tool, need, debian }` each, in the order of use; empty when all is there. */
export function missingTools(found) {
  const missing = [];
  const lacks = (tool, need, debian) => missing.push({ tool, need, debian });
  if (!atLeast(found.node, NODE_AT_LEAST)) {
    lacks('node', `Node.js ${short(NODE_AT_LEAST)} or newer (this is ${found.node})`, 'nodejs');
  }
  if (!found.npm) lacks('npm', 'npm', 'npm');
  if (!found.git) lacks('git', 'git', 'git');
  if (!found.cmake) lacks('cmake', `cmake ${short(CMAKE_AT_LEAST)} or newer`, 'cmake');
  else if (!atLeast(found.cmakeVersion, CMAKE_AT_LEAST)) {
    lacks('cmake', `cmake ${short(CMAKE_AT_LEAST)} or newer (this is ${found.cmakeVersion})`, 'cmake');
  }
  if (!found.cc) lacks('cc', 'a C compiler (cc, gcc or clang)', 'gcc');
  if (!found.cxx) lacks('cxx', 'a C++ compiler (c++, g++ or clang++)', 'g++');
  if (!found.builder) lacks('builder', 'make or ninja', 'make');
  return missing;
}

/** The message for a person: every missing thing, its Debian package, and one command that brings them all. */
export function explainMissing(missing) {
  const width = Math.max(...missing.map(({ need }) => need.length));
  const lines = missing.map(({ need, debian }) => `  ${need.padEnd(width)}  Debian package: ${debian}`);
  const packages = [...new Set(missing.map(({ debian }) => debian))].join(' ');
  return [
    `Troupe cannot be built yet; missing on this machine:`,
    ...lines,
    `On Debian or Ubuntu: apt-get install ${packages}`,
  ].join('\n');
}
