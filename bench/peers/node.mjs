/**
 * The peers that are npm packages (node-llama-cpp, comlink, nact, xstate), in a package of their own beside this file.
 *
 * Optional packages are left out: node-llama-cpp names a binary of some hundred megabytes for every platform
 * and GPU as one, so the one that is measured against is a dependency of the peers' package itself.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, packagesInstalled } from '../../scripts/packages.mjs';

const FOLDER = dirname(fileURLToPath(import.meta.url));

/** @param {{ say: (line: string) => void }} options */
export async function nodePeers({ say }) {
  if (packagesInstalled(FOLDER)) return;
  say('installing the peers node-llama-cpp, comlink, nact and xstate (once)');
  await installPackages(FOLDER, '--omit=optional');
}
