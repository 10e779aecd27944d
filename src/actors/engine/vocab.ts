/**
 * The vocabulary on threads other than the engine's: read-only tokenising over the shared weights, one handle a thread.
 */
import type { NativeModel } from '../../native/addon.js';
import { loadAddon } from '../../native/load.js';

const attached = new Map<number, NativeModel>();

/** `model`: the number that `EngineReady` gives. Throws when no thread holds those weights any more. */
export function attachVocab(model: number): NativeModel {
  let handle = attached.get(model);
  if (handle === undefined) {
    handle = loadAddon().attachModel(model);
    attached.set(model, handle);
  }
  return handle;
}

/** Lets go of the weights on this thread. */
export function detachVocab(model: number): void {
  attached.get(model)?.close();
  attached.delete(model);
}
