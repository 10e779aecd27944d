/**
 * A room that is made new again, as its caller asks for it.
 */
import { activityOf } from './actors/activity.js';
import type { Forget } from './actors/pager/protocol.js';
import { checkFields, checkMs, checkRoom } from './check.js';
import type { Mind } from './mind.js';
import { pageNameOf } from './pages/room-names.js';
import type { PageOptions } from './paging.js';
import type { Stage } from './stage.js';

/** A disk may be slow to let go of a file, or busy with writing it. */
const DEFAULT_DEADLINE_MS = 120_000;
/** Longer than the deadline that the pager itself holds. */
const ANSWER_GRACE_MS = 15_000;

export async function forget(
  { system, pager }: Stage,
  { id: mind, name }: Mind,
  options: unknown,
): Promise<void> {
  const given = checkFields<PageOptions>(options, 'options', ['room', 'deadline']);
  const room = checkRoom(given.room, 'options.room');
  const deadlineMs = checkMs(given.deadline, 'options.deadline') ?? DEFAULT_DEADLINE_MS;
  const what = { activity: activityOf(mind, room), mind, room, name: pageNameOf(name, room), deadlineMs };
  const message: Forget = { type: 'forget', ...what };
  await system.ask(pager, { ...message }, { deadlineMs: deadlineMs + ANSWER_GRACE_MS });
}
