/**
 * What the pager understands: pages taken out of lanes and brought in on demand, rather than on a turn's path.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Activity, PageMove } from '../engine/protocol.js';

export type PagerMessage =
  /**
   * The answer is a `PageMove`, after the turn of the activity that runs or waits, if one does. Refuses with EmptyLane,
   * OverCeiling, EngineLost, DeadlineExceeded.
   */
  | ({ readonly type: 'page-out' } & WhatMoves)
  /** The answer is a `PageMove`: of 0 bytes if the activity is in its lane. Refuses with NoSuchPage, and as above. */
  | ({ readonly type: 'page-in' } & WhatMoves);

type WhatMoves = {
  readonly activity: Activity;
  readonly mind: ActorId;
  /** What errors call it. */
  readonly name: string;
  readonly deadlineMs: number;
};

export type PagerAnswer = PageMove;

export type PagerControl =
  /** To itself: a move is past its deadline. */
  { readonly type: 'late'; readonly ticket: number };

export interface PagerArgs {
  readonly broker: ActorId;
  readonly engine: ActorId;
}
