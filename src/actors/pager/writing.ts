/**
 * What is to be written of a room, and from where: its page in memory, or the lane that holds it, of which no more is copied
 * than a window of it at a time.
 */
import type { WindowInfo } from '../../native/pages.js';
import type { PageFiles, PageJobOptions } from '../../pages/page-files.js';
import type { Bringing } from '../../pages/pieces.js';
import type { Progress } from '../../pages/progress.js';
import type { PageFile } from '../../pages/read.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { DiskWord, FiledPage, LeavingLane } from '../broker/protocol.js';
import type { WindowMessage } from '../engine/lane-window.js';
import type { WhatMoves } from './protocol.js';

/** A piece is copied between two steps. */
const PIECE_MS = 5_000;

/** Where a room is. */
export interface Whence {
  /** What its page takes in memory, or would take. */
  readonly bytes: number;
  spill(files: PageFiles, what: Spilled, options: PageJobOptions): Promise<PageFile>;
  /** What the broker is told when it is on disk. */
  word(file: FiledPage): DiskWord;
}

interface Spilled {
  readonly name: string;
  readonly transcript: Uint8Array;
}

export interface WhatIsWritten extends WhatMoves {
  readonly from: Whence;
  readonly transcript: Uint8Array;
  /** Whether it is there for its own sake. */
  readonly own: boolean;
  readonly progress: Progress;
}

/** `drop`: whether memory lets go of it then. */
export const fromPage = (page: number, bytes: number, drop: boolean): Whence => ({
  bytes,
  spill: (files, what, options) => files.spill({ ...what, page }, options),
  word: (file) => ({ type: 'filed', file, page, drop }),
});

export const fromLane = ({ lane, bytes }: LeavingLane, ctx: Context, engine: ActorId): Whence => ({
  bytes,
  spill: (files, what, options) => spillLane(files, what, options, windowOn(lane, ctx, engine)),
  word: (file) => ({ type: 'left', file, lane }),
});

interface Window extends Bringing {
  /** The engine needs to keep it no longer. */
  close(): void;
}

async function spillLane(
  files: PageFiles,
  what: Spilled,
  options: PageJobOptions,
  window: Window,
): Promise<PageFile> {
  try {
    return await files.spillLane({ ...what, bringing: window }, options);
  } finally {
    window.close();
  }
}

function windowOn(lane: LeavingLane['lane'], ctx: Context, engine: ActorId): Window {
  const ask = <T>(message: WindowMessage): Promise<T> =>
    ctx.ask<T>(engine, { ...message }, { band: Band.reserved, deadlineMs: PIECE_MS });
  let window: number | undefined;
  return {
    async open() {
      const opened = await ask<WindowInfo>({ type: 'open-window', ...lane });
      window = opened.page;
      return opened;
    },
    fill: (piece) => ask<void>({ type: 'fill-window', window: window as number, ...piece }),
    close() {
      if (window === undefined) return;
      const closed: WindowMessage = { type: 'close-window', window };
      ctx.tell(engine, closed, { band: Band.reserved });
    },
  };
}
