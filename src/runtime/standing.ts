/**
 * Where one actor stands, by what can be seen of it: what it has in hand, what keeps it from going on, or whom it waits
 * for. One look at one report; `why.ts` follows the waits from one actor to the next.
 */
import type { ActorId } from './address.js';
import type { ActorReport, SystemReport, ThreadReport } from './inspect.js';

/** Something that one actor hands out, another has, and a third works on: a lane, of the broker, for a mind, at the engine. */
export interface Hold {
  readonly what: string;
  readonly keeper: ActorId;
  readonly holder: ActorId;
  readonly worker: ActorId;
}

export interface Sight extends SystemReport {
  readonly holds: readonly Hold[];
}

/** A message in an actor's hand. */
export interface InHand {
  readonly actor: ActorReport;
  readonly message: string;
  readonly forMs: number;
}

export type Standing =
  | {
      readonly type: 'waits';
      readonly on: ActorId;
      readonly reason: string;
      readonly forMs: number;
      readonly leftMs: number;
    }
  /** Its thread is gone and not yet back. */
  | { readonly type: 'lost' }
  /** Its thread's loop does not turn, or gives it no turn. `by`: whose handler has the thread, where that shows. */
  | {
      readonly type: 'starved';
      readonly queued: number;
      readonly forMs: number;
      readonly by: InHand | undefined;
    }
  /** Most of what it handled has crashed it, or it is being started again. */
  | { readonly type: 'crashing'; readonly starting: boolean; readonly inMs: number | undefined }
  | { readonly type: 'starting' }
  /** Its handler runs. */
  | { readonly type: 'handling'; readonly message: string; readonly forMs: number; readonly behind: number }
  /** Its handler awaits something that is no actor. */
  | { readonly type: 'outside'; readonly message: string; readonly forMs: number; readonly behind: number }
  /** What it hands out is with others. */
  | { readonly type: 'keeper'; readonly holds: readonly Hold[] }
  /** It has something that another actor works on. */
  | { readonly type: 'served'; readonly hold: Hold }
  | { readonly type: 'idle' };

/** A loop that has not turned for so long is held by someone; a queue this old is not being worked off. */
const STARVED_MS = 1_000;
/** Fewer restarts may be an accident. */
const CRASHING_RESTARTS = 2;

const STARTING: ReadonlySet<string> = new Set(['starting']);

/** Another actor's wait for this one. */
export interface Asked {
  readonly forMs: number;
  /** By an ask: a message was sent when the wait began. */
  readonly byAsk: boolean;
}

export function standingOf(sight: Sight, actor: ActorReport, asked?: Asked): Standing {
  const thread = sight.threads.find(({ name }) => name === actor.thread);
  if (thread?.alive === false) return { type: 'lost' };
  const starved = thread && starving(sight, actor, thread, asked);
  if (starved !== undefined) return starved;
  if (STARTING.has(actor.state) && actor.waitsFor === undefined) {
    const { restarts, startsInMs: inMs } = actor;
    return restarts > 0 || inMs !== undefined
      ? { type: 'crashing', starting: true, inMs }
      : { type: 'starting' };
  }
  const { inHand, waitsFor } = actor;
  const behind = actor.depth.user;
  if (actor.state === 'handling' && inHand !== undefined) {
    return { type: 'handling', message: inHand.type, forMs: inHand.forMs, behind };
  }
  if (waitsFor !== undefined && (isBlocked(actor) || waitsFor.on !== actor.id)) {
    return { type: 'waits', ...waitsFor };
  }
  if (actor.state === 'awaiting' && inHand !== undefined) {
    return { type: 'outside', message: inHand.type, forMs: inHand.forMs, behind };
  }
  if (isCrashing(actor)) return { type: 'crashing', starting: false, inMs: undefined };
  const hold = sight.holds.find(({ holder }) => holder === actor.id);
  if (hold !== undefined) return { type: 'served', hold };
  if (waitsFor !== undefined) return { type: 'waits', ...waitsFor };
  const holds = sight.holds.filter(({ keeper }) => keeper === actor.id);
  return asked !== undefined && holds.length > 0 ? { type: 'keeper', holds } : { type: 'idle' };
}

/** While its handler runs or awaits, an actor takes no user message. */
export const isBlocked = ({ state }: ActorReport): boolean => state === 'handling' || state === 'awaiting';

/** Counters only go up, so one look cannot tell when it crashed; but it can tell that little else came of its work. */
const isCrashing = ({ restarts, processed }: ActorReport): boolean =>
  restarts >= CRASHING_RESTARTS && 2 * restarts >= processed;

/** Whether the actor could go on and its thread does not let it. */
function starving(
  sight: Sight,
  actor: ActorReport,
  { sinceSliceMs }: ThreadReport,
  asked: Asked | undefined,
): Standing | undefined {
  if (actor.state === 'handling') return undefined;
  const by = sight.actors
    .filter(({ thread, state }) => thread === actor.thread && state === 'handling')
    .map(inHandOf)
    .find((hand) => hand !== undefined);
  const queued = isBlocked(actor) || STARTING.has(actor.state) ? 0 : queuedOf(actor);
  const oldestMs = queued > 0 ? actor.oldestMs : 0;
  const stands =
    sinceSliceMs >= STARVED_MS && (by !== undefined || queued > 0 || isUnheard(sinceSliceMs, asked));
  if (!stands && oldestMs < STARVED_MS) return undefined;
  return { type: 'starved', queued, forMs: Math.max(oldestMs, stands ? sinceSliceMs : 0), by };
}

/** What is asked for would have made the thread's loop turn. Stamps are in whole ms. */
const isUnheard = (sinceSliceMs: number, asked: Asked | undefined): boolean =>
  asked?.byAsk === true && sinceSliceMs > asked.forMs + 1;

export const queuedOf = ({ depth }: ActorReport): number => depth.system + depth.control + depth.user;

const inHandOf = (actor: ActorReport): InHand | undefined =>
  actor.inHand && { actor, message: actor.inHand.type, forMs: actor.inHand.forMs };
