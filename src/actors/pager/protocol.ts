/**
 * What the pager understands: pages taken out of lanes and brought in on demand, rather than on a turn's path; and pages
 * written to disk and read from there.
 */
import type { PageFile, PageList } from '../../pages/read.js';
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { PageMove } from '../engine/protocol.js';
import type { NamedGene } from '../residency/protocol.js';

export type MoveMessage =
  /**
   * The answer is a `PageMove`, after the turn of the activity that runs or waits, if one does. Refuses with EmptyLane,
   * OverCeiling, EngineLost, DeadlineExceeded.
   */
  | ({ readonly type: 'page-out' } & WhatMoves)
  /** The answer is a `PageMove`: of 0 bytes if the activity is in its lane. Refuses with NoSuchPage, and as above. */
  | ({ readonly type: 'page-in' } & WhatMoves);

export type FileMessage =
  /**
   * Writes the activity's page to disk, out of its lane first if it is there; the answer is a `PageFile`. What is on disk
   * alone, as it is, stays so. Refuses as `page-out`, and as `PageFiles.spill`.
   */
  | ({ readonly type: 'spill'; readonly drop: boolean; readonly transcript: Uint8Array } & WhatMoves)
  /**
   * Reads the page of that name from disk, for the activity, and has the mind take over what was said; the answer is a
   * `Recalled`. Refuses as `PageFiles.restore`, and with PageMismatch where it was computed under other genes, or something
   * was said in the room meanwhile; nothing of it is kept then.
   */
  | ({ readonly type: 'restore'; readonly room: string; readonly genes: readonly NamedGene[] } & WhatMoves)
  /** The answer is a `PageList`. */
  | { readonly type: 'files'; readonly deadlineMs: number }
  /** Refuses as `PageFiles.remove`, and with DeadlineExceeded: a removal that had begun by then goes on. */
  | { readonly type: 'remove-file'; readonly name: string; readonly deadlineMs: number };

/**
 * A room of a mind is new again: what was said in it goes, what lane and page hold of it, and its file; the answer is
 * undefined. Refuses with RoomBusy, and with what fails on the way: what is left then goes when it is asked for again.
 */
export type Forget = { readonly type: 'forget'; readonly room: string } & WhatMoves;

/**
 * All minds have left: what is on disk only because memory was short is removed, and no more of it written; the answer is
 * undefined.
 */
export type EndLoans = { readonly type: 'end-loans' };

export type PagerMessage = MoveMessage | FileMessage | Forget | EndLoans;

export type WhatMoves = {
  readonly activity: Activity;
  readonly mind: ActorId;
  /** What errors and files call it. */
  readonly name: string;
  readonly deadlineMs: number;
};

export type Recalled = PageFile;

export interface PagerAnswers {
  readonly 'page-out': PageMove;
  readonly 'page-in': PageMove;
  readonly spill: PageFile;
  readonly restore: Recalled;
  readonly files: PageList;
  readonly 'remove-file': undefined;
}

export type PagerControl =
  /** To itself: a move is past its deadline. */
  | { readonly type: 'late'; readonly ticket: number }
  /** To itself: what is done on disk is past its deadline. */
  | { readonly type: 'disk-late'; readonly wait: number };

export interface PagerArgs {
  readonly broker: ActorId;
  readonly engine: ActorId;
  readonly residency: ActorId;
  /** Folder of page files. */
  readonly dir: string;
  /** Bytes that pages may take there. */
  readonly diskBytes: number;
  /** Of the engine's contexts. */
  readonly fingerprint: string;
}
