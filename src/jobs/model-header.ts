/**
 * Offload job: what the header of a model file says, so that a file that will not load or fit is refused before it is
 * loaded.
 */
import { loadAddon } from '../native/load.js';
import { defineJob } from '../runtime/offload.js';

export default defineJob((path: string) => loadAddon().readHeader(path));
