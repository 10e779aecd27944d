/**
 * Loads the addon, once a thread, and gives it the classes of our typed errors.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { AddonMissing, type Detail, errorOf } from '../errors.js';
import type { Addon } from './addon.js';

/** What the built file exports: the addon, and the door for the error classes of this thread. */
interface Built extends Addon {
  setErrors(makeError: (code: string, detail: Detail) => Error): void;
}

const PATH = fileURLToPath(new URL('../../native/build/Release/troupe.node', import.meta.url));

let loaded: Addon | undefined;

/** Throws AddonMissing when the addon is not built or cannot be loaded by this Node. */
export function loadAddon(): Addon {
  loaded ??= open();
  return loaded;
}

/** Puts another in its place: a simulation runs its actors over one that can be made to fail. */
export function substituteAddon(addon: Addon): void {
  loaded = addon;
}

function open(): Addon {
  if (!existsSync(PATH)) throw new AddonMissing({ path: PATH, reason: 'there is no such file' });
  let built: Built;
  try {
    built = createRequire(import.meta.url)(PATH) as Built;
  } catch (error) {
    throw new AddonMissing({ path: PATH, reason: error instanceof Error ? error.message : String(error) });
  }
  // Native code throws through this, so that its errors are typed where they are made and calls need no wrapper.
  built.setErrors(errorOf);
  return built;
}
