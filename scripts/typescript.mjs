/**
 * TypeScript into `dist/`: whether it is what `src/` says, and compiling it.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesUnder, fingerprint, stampIs, writeStamp } from './fingerprint.mjs';

const stampOf = (root) => join(root, 'dist', '.sources');

const sourcesOf = (root) =>
  fingerprint([
    ...filesUnder(join(root, 'src')),
    join(root, 'tsconfig.json'),
    join(root, 'package-lock.json'),
  ]);

export const distIsCurrent = (root) => stampIs(stampOf(root), sourcesOf(root));

export function compileSources(root) {
  const sources = sourcesOf(root);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const ran = spawnSync(process.execPath, [tsc, '-p', root], { cwd: root, stdio: ['ignore', 2, 2] });
  if (ran.status !== 0) throw new Error('the TypeScript sources do not compile; the errors are above');
  removeOrphans(root);
  writeStamp(stampOf(root), sources);
}

/** Removes what was compiled from sources that are gone: an old file that still loads hides a broken import. */
function removeOrphans(root) {
  const modules = new Set(
    filesUnder(join(root, 'src')).map((file) => moduleOf(relative(join(root, 'src'), file))),
  );
  for (const file of filesUnder(join(root, 'dist'))) {
    const path = relative(join(root, 'dist'), file);
    if (path !== '.sources' && !modules.has(moduleOf(path))) rmSync(file);
  }
}

const moduleOf = (path) => path.replace(/(\.d)?\.(ts|js)(\.map)?$/, '');
