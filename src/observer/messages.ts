/**
 * A trace of messages for an observer: each event with the names of its actors, until its time is over or nobody listens.
 */
import type { ActorId } from '../runtime/address.js';
import type { KnownAs } from '../runtime/known-as.js';
import type { TraceOptions } from '../runtime/trace-protocol.js';
import type { Source } from './source.js';
import type { Listener } from './trace.js';

/** Rejects with `TooManyTraces`. What could not be sent is left out and counted. */
export async function traceMessages(
  source: Pick<Source, 'trace'>,
  known: KnownAs,
  options: TraceOptions,
  listener: Listener,
): Promise<{ sent: number; leftOut: number }> {
  let sent = 0;
  let leftOut = 0;
  const called = (id: ActorId): string | undefined => {
    const actor = known.actor(id);
    return actor && known.name(actor);
  };
  const { gone } = listener;
  let stop = (): void => {};
  await new Promise<void>((resolve) => {
    stop = source.trace(options, {
      seen: (events, more) => {
        leftOut += more;
        for (const { event, ...fields } of events) {
          const { actor, from } = fields;
          const names = { actorName: called(actor), fromName: called(from) };
          if (listener.send({ name: `message.${event}`, ...fields, ...names })) sent++;
          else leftOut++;
        }
      },
      over: resolve,
    });
    if (gone.aborted) stop();
    gone.addEventListener('abort', stop);
  });
  gone.removeEventListener('abort', stop);
  return { sent, leftOut };
}
