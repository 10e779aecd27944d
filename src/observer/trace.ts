/**
 * A trace: events as they happen, filtered, so many a second and for so long; then it ends by itself.
 */
import type { Probe } from '../runtime/probes.js';
import type { TraceEvent } from './protocol.js';
import type { Source } from './source.js';

/** What one event may weigh as JSON. */
const MAX_EVENT_CHARACTERS = 4_096;

export interface Filter {
  /** What the actor is called: one of these must be a field of the event. Undefined: any event. */
  readonly actor: readonly unknown[] | undefined;
  /** The event's name; undefined: any. */
  readonly event: string | undefined;
  readonly forMs: number;
  readonly perSecond: number;
}

/** Where the events of a trace go, and when nobody is there for them any more. */
export interface Listener {
  send(event: TraceEvent): boolean;
  readonly gone: AbortSignal;
}

/** Settles when its time is over or nobody listens any more. What could not be sent is left out and counted. */
export async function trace(
  source: Pick<Source, 'onProbe'>,
  { actor, event, forMs, perSecond }: Filter,
  listener: Listener,
  now: () => number = () => performance.now(),
): Promise<{ sent: number; leftOut: number }> {
  let sent = 0;
  let leftOut = 0;
  let second = 0;
  let ofSecond = 0;
  const off = source.onProbe((probe) => {
    if (event !== undefined && probe.name !== event) return;
    if (actor !== undefined && !Object.values(probe).some((value) => actor.includes(value))) return;
    const present = Math.floor(now() / 1_000);
    if (present !== second) ofSecond = 0;
    second = present;
    if (ofSecond < perSecond && isLight(probe) && listener.send(probe)) {
      ofSecond++;
      sent++;
    } else leftOut++;
  });
  await over(forMs, listener.gone);
  off();
  return { sent, leftOut };
}

function over(forMs: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      gone.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, forMs).unref();
    gone.addEventListener('abort', end);
  });
}

/** The probes of actors may hold anything. */
function isLight(probe: Probe): boolean {
  try {
    return JSON.stringify(probe).length <= MAX_EVENT_CHARACTERS;
  } catch {
    return false;
  }
}
