/**
 * How the host's memory is divided that weights, KV and step buffers leave: a share for pages and one for checkpoints, where
 * options say nothing else. The rest is for whatever the process does beside.
 */
import type { CheckedMemoryOptions } from './memory-options.js';

/** Contexts without a lane are what most of the memory is for. */
const PAGE_SHARE = 1 / 2;
/** A lane has a few checkpoints, each about as large as what its page holds of a window or a state. */
const CHECKPOINT_SHARE = 1 / 8;

export interface Shares {
  readonly pageBytes: number;
  readonly checkpointBytes: number;
}

export const sharesOf = (
  { pageBytes, checkpointBytes }: Pick<CheckedMemoryOptions, 'pageBytes' | 'checkpointBytes'>,
  leftBytes: number,
): Shares => ({
  pageBytes: pageBytes ?? Math.floor(leftBytes * PAGE_SHARE),
  checkpointBytes: checkpointBytes ?? Math.floor(leftBytes * CHECKPOINT_SHARE),
});
