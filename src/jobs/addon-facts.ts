/**
 * Offload job: whether the addon can be loaded here, and what it was built for.
 */
import { loadAddon } from '../native/load.js';
import { defineJob } from '../runtime/offload.js';

export interface AddonFacts {
  readonly version: string;
  /** llama.cpp's own words on the processor features in use. */
  readonly systemInfo: string;
}

export default defineJob((): AddonFacts => {
  const { version, systemInfo } = loadAddon();
  return { version, systemInfo };
});
