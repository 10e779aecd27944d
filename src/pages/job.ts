/**
 * What the job of page files (`src/jobs/pages.ts`) is asked, and what it answers: plain data.
 */
import type { PageGene } from './meta.js';
import type { PiecesEnd } from './pieces.js';
import type { PageFile, PageList } from './read.js';
import type { Damage } from './recover.js';

/** A folder that this process owns. */
export interface Owned {
  readonly path: string;
  readonly lock: number;
}

/** When a job on a page is to have ended. */
export interface Until {
  /** Ms since 1970. */
  readonly at: number;
  readonly deadlineMs: number;
  /** Memory of a `Progress`. */
  readonly progress: SharedArrayBuffer;
}

export interface SpillJob extends Owned, Until {
  readonly what: 'spill';
  readonly name: string;
  readonly page: number;
  /** Of its room, to be gone on with by another process. */
  readonly transcript: Uint8Array;
}

/** The same of a lane, whose bytes are brought piece by piece while the job runs. */
export interface SpillLaneJob extends Owned, Until {
  readonly what: 'spill-lane';
  readonly name: string;
  readonly transcript: Uint8Array;
}

/** What jobs are given beside. */
export interface Brought {
  /** Of a job that has pieces brought. */
  readonly pieces?: PiecesEnd | undefined;
}

export interface RestoreJob extends Owned, Until {
  readonly what: 'restore';
  readonly name: string;
  /** Of the context that it must be of, and what it must have been computed under, as far as given. */
  readonly fingerprint: string | undefined;
  readonly genes: readonly PageGene[] | undefined;
}

export type PagesJob =
  | { readonly what: 'open'; readonly path: string }
  | (Owned & { readonly what: 'list' })
  | (Owned & { readonly what: 'remove'; readonly name: string })
  | SpillJob
  | SpillLaneJob
  | RestoreJob;

export interface Opened {
  readonly owned: Owned;
  /** Pages that could not be brought to a whole generation. */
  readonly damaged: readonly Damage[];
}

export interface Restored extends PageFile {
  /** Number of the page in memory, and what the store charges for it. */
  readonly page: number;
  readonly charged: number;
  readonly transcript: Uint8Array;
}

export interface PagesAnswer {
  readonly open: Opened;
  readonly list: PageList;
  readonly remove: undefined;
  readonly spill: PageFile;
  readonly 'spill-lane': PageFile;
  readonly restore: Restored;
}
