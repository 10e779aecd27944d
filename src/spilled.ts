/**
 * Rooms on disk as a caller sees them, whoever wrote them: listed and removed.
 */
import type { FileMessage } from './actors/pager/protocol.js';
import { NoSuchPage } from './errors.js';
import type { PageFile, PageList } from './pages/read.js';
import { pageNameOf, roomOfPage } from './pages/room-names.js';
import type { Stage } from './stage.js';

/** The disk may be slow, and hold thousands. */
const DISK_MS = 180_000;
/** The pager ends what is late; its answer has so much longer. */
const ANSWER_GRACE_MS = 15_000;

/** A room's page on disk. */
export interface SpilledPage {
  readonly mind: string;
  readonly room: string;
  readonly tokens: number;
  readonly bytes: number;
  /** Grows with each spill of the room. */
  readonly generation: number;
}

export interface SpilledPages {
  /** In order of names. */
  readonly pages: readonly SpilledPage[];
  /** Folders of pages that cannot be read, and why. */
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

export const spilledOf = ({ name, cells, bytes, generation }: PageFile): SpilledPage => ({
  ...roomOfPage(name),
  tokens: cells,
  bytes,
  generation,
});

export async function spilledPages(stage: Stage): Promise<SpilledPages> {
  const { pages, damaged } = await ask<PageList>(stage, { type: 'files', deadlineMs: DISK_MS });
  return { pages: pages.map(spilledOf), damaged };
}

export async function removeSpilled(stage: Stage, mind: string, room: string): Promise<void> {
  const remove = { type: 'remove-file', name: pageNameOf(mind, room), deadlineMs: DISK_MS } as const;
  await ask(stage, remove).catch((error: unknown) => {
    throw error instanceof NoSuchPage ? new NoSuchPage({ name: `${mind}/${room}` }) : error;
  });
}

const ask = <T>({ system, pager }: Stage, message: FileMessage): Promise<T> =>
  system.ask<T>(pager, message, { deadlineMs: message.deadlineMs + ANSWER_GRACE_MS });
