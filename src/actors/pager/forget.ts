/**
 * A room made new: first the mind, which alone knows whether a turn waits or runs there, drops what was said; then the broker
 * has lane and page let go of; then the file goes. Whatever fails on the way, to do it again does the rest.
 */
import { NoSuchPage, RoomBusy } from '../../errors.js';
import { roomOfPage } from '../../pages/room-names.js';
import type { Context } from '../../runtime/actor.js';
import type { FiledPage } from '../broker/protocol.js';
import type { ForgetRoom } from '../mind/protocol.js';
import type { Files } from './files.js';
import { tellOfDisk } from './post.js';
import type { Forget, PagerArgs } from './protocol.js';

export async function forgetRoom(
  ctx: Context,
  { broker }: PagerArgs,
  files: Files,
  { activity, mind, room, name, deadlineMs }: Forget,
): Promise<undefined> {
  const until = ctx.now + deadlineMs;
  const words: ForgetRoom = { type: 'forget-room', room };
  if (!(await ctx.ask<boolean>(mind, { ...words }, { deadlineMs }))) {
    throw new RoomBusy({ ...roomOfPage(name), by: 'a turn waits or runs there' });
  }
  const leftMs = Math.max(1, Math.ceil(until - ctx.now));
  const question = { type: 'forget-room', activity };
  const filed = await ctx.ask<FiledPage | undefined>(broker, question, { deadlineMs: leftMs });
  if (filed === undefined) return;
  try {
    await files.answer({ type: 'remove-file', name });
  } catch (error) {
    if (!(error instanceof NoSuchPage)) throw error;
    tellOfDisk(ctx, broker, { type: 'removed', name });
  }
}
