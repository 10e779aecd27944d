/**
 * What the pager tells the broker of pages on disk.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { DiskWord, PagerToBroker } from '../broker/protocol.js';

/** False: the broker is not there. */
export function tellOfDisk(ctx: Pick<Context, 'tell'>, broker: ActorId, word: DiskWord): boolean {
  const message: PagerToBroker = { type: 'disk', word };
  return ctx.tell(broker, { ...message }, { band: Band.reserved });
}
