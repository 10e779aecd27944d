/**
 * A room made new: first the mind, which alone knows whether a turn waits or runs there, drops what was said; then the broker
 * has lane and page let go of; then the file goes. Whatever fails on the way, to do it again does the rest.
 */
import { NoSuchPage, RoomBusy } from '../../errors.js';
import { roomOfPage } from '../../pages/room-names.js';
import type { Context } from '../../runtime/actor.js';
import type { ForgetRoom } from '../mind/protocol.js';
import type { Files } from './files.js';
import type { Forget, PagerArgs } from './protocol.js';

export async function forgetRoom(
  ctx: Context,
  { broker }: PagerArgs,
  files: Files,
  { activity, mind, room, name, deadlineMs }: Forget,
): Promise<undefined> {
  const until = ctx.now + deadlineMs;
  const leftMs = (): number => Math.max(1, Math.ceil(until - ctx.now));
  const words: ForgetRoom = { type: 'forget-room', room };
  if (!(await ctx.ask<boolean>(mind, { ...words }, { deadlineMs }))) {
    throw new RoomBusy({ ...roomOfPage(name), by: 'a turn waits or runs there' });
  }
  const question = { type: 'forget-room', activity };
  if (!(await ctx.ask<boolean>(broker, question, { deadlineMs: leftMs() }))) {
    throw new RoomBusy({ ...roomOfPage(name), by: 'a run there has yet to end' });
  }
  await files.cleared(name, leftMs());
  // Its own file, whether it is there for its own sake or was lent; not what an earlier mind of the name has left.
  if (files.owners.of(name) !== mind) return;
  try {
    await files.answer({ type: 'remove-file', name, deadlineMs: leftMs() });
  } catch (error) {
    if (!(error instanceof NoSuchPage)) throw error;
    files.owners.set(name, undefined);
  }
}
