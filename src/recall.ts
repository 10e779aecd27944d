/**
 * Rooms that go to disk and come back, also in another process: the page, and with it what was said.
 */
import { activityOf } from './actors/activity.js';
import type { MindTranscript } from './actors/mind/protocol.js';
import { encodeTranscript } from './actors/mind/transcript-bytes.js';
import type { PagerMessage, Recalled } from './actors/pager/protocol.js';
import { checkFields, checkFlag, checkMs, checkRoom } from './check.js';
import { PageMismatch } from './errors.js';
import type { Mind } from './mind.js';
import type { PageFile } from './pages/read.js';
import { pageNameOf } from './pages/room-names.js';
import type { PageOptions } from './paging.js';
import { Band } from './runtime/message.js';
import { type SpilledPage, spilledOf } from './spilled.js';
import type { Stage } from './stage.js';

/** A disk may be slow, and a page large. */
const DEFAULT_DEADLINE_MS = 600_000;
/** Longer than the deadline that the pager itself holds. */
const ANSWER_GRACE_MS = 75_000;

export interface SpillOptions extends PageOptions {
  /** Frees the page in memory when it is on disk. */
  readonly drop?: boolean;
}

/** Writes a room to disk. */
export async function spill(stage: Stage, mind: Mind, options: unknown): Promise<SpilledPage> {
  const given = checkFields<SpillOptions>(options, 'options', ['room', 'deadline', 'drop']);
  const drop = checkFlag(given.drop, 'options.drop');
  const what = whatMoves(mind, given);
  const { exchanges } = await transcriptOf(stage, mind, what.room);
  const transcript = encodeTranscript(exchanges);
  const file = await ask<PageFile>(stage, { type: 'spill', drop, transcript, ...what.message });
  return spilledOf(file);
}

/** Reads a room from disk, for a mind that has said nothing in it. */
export async function recall(stage: Stage, mind: Mind, options: unknown): Promise<SpilledPage> {
  const given = checkFields<PageOptions>(options, 'options', ['room', 'deadline']);
  const { room, message } = whatMoves(mind, given);
  const { exchanges, genes } = await transcriptOf(stage, mind, room);
  if (exchanges.length > 0) throw said(mind, room, exchanges.length);
  return spilledOf(await ask<Recalled>(stage, { type: 'restore', room, genes, ...message }));
}

function whatMoves(mind: Mind, { room: given, deadline }: PageOptions) {
  const room = checkRoom(given, 'options.room');
  const deadlineMs = checkMs(deadline, 'options.deadline') ?? DEFAULT_DEADLINE_MS;
  const name = pageNameOf(mind.name, room);
  return { room, message: { activity: activityOf(mind.id, room), mind: mind.id, name, deadlineMs } };
}

const transcriptOf = (stage: Stage, { id }: Mind, room: string): Promise<MindTranscript> =>
  stage.system.ask<MindTranscript>(id, { type: 'transcript', room }, { band: Band.reserved });

const ask = <T>(
  { system, pager }: Stage,
  message: PagerMessage & { readonly deadlineMs: number },
): Promise<T> => system.ask<T>(pager, message, { deadlineMs: message.deadlineMs + ANSWER_GRACE_MS });

const said = (mind: Mind, room: string, exchanges: number): Error =>
  new PageMismatch({
    field: 'transcript',
    page: `that of ${mind.name}/${room} on disk`,
    here: `that of ${exchanges} turns which are there already; recall a room before its first turn`,
  });
