/**
 * A broker that was started again knows of no grants, and of no memory: engine, residency, minds, and those who hold memory
 * are told so, and it is to hear again of the minds' end.
 */
import { EngineLost } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { BrokerPost } from './post.js';

/** What keys in the saved state begin with: minds, and holders of memory. */
const MIND = 'mind/';
export const HOLDER = 'holder/';

/**
 * Answers what is to be called when the engine is up again: until then runs of before may be on their way to it, and the
 * residency keeps their genes where they are.
 */
export function tellOfStart(ctx: Context, saved: ReadonlyMap<string, unknown>): () => void {
  const error = toEnvelope(new EngineLost({ reason: 'the broker was started again' }));
  const post = new BrokerPost(ctx);
  for (const [key, id] of saved) {
    if (key === 'engine') ctx.tell(id as ActorId, { type: 'reset' }, { band: Band.reserved });
    if (key.startsWith(MIND)) {
      ctx.watch(id as ActorId);
      post.restarted(id as ActorId, error);
    }
    if (key.startsWith(HOLDER)) ctx.tell(id as ActorId, { type: 'leases-again' }, { band: Band.reserved });
  }
  const residency = saved.get('residency') as ActorId | undefined;
  return () => {
    // Which then lets go of all pins, and says that it is up.
    if (residency !== undefined) ctx.tell(residency, { type: 'forget' }, { band: Band.reserved });
  };
}
