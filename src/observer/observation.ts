/**
 * What an `inspect` answers: the threads with the sums of their actors, and the actors with most going on. Counters are
 * sent as they are; whoever looks takes differences of two observations.
 */
import type { ActorId } from '../runtime/address.js';
import type { ActorReport, ThreadReport } from '../runtime/inspect.js';
import type { KnownAs } from '../runtime/known-as.js';
import { queuedOf, type Sight } from '../runtime/standing.js';

export interface ObservedThread extends ThreadReport {
  readonly actors: number;
  /** Messages in the mailboxes of its actors. */
  readonly queued: number;
  /** Messages handled by its present actors. */
  readonly processed: number;
}

export interface ObservedActor extends Pick<ActorReport, 'id' | 'name' | 'kind' | 'thread' | 'state'> {
  readonly queued: number;
  readonly oldestMs: number;
  readonly inHand: ActorReport['inHand'];
  /** `on`: by the name that it is known by; undefined when it is gone. */
  readonly waitsFor:
    | {
        readonly reason: string;
        readonly on: string | undefined;
        readonly forMs: number;
        readonly leftMs: number;
      }
    | undefined;
  /** What it has that another works on: "lane 2". */
  readonly holds: readonly string[];
  readonly processed: number;
  readonly restarts: number;
  readonly lastError: string | undefined;
}

export interface Observation {
  /** On a clock that only goes up, ms. */
  readonly atMs: number;
  readonly threads: readonly ObservedThread[];
  readonly actors: readonly ObservedActor[];
  /** Actors that were left out. */
  readonly more: number;
}

export function observe(sight: Sight, known: KnownAs, limit: number, atMs: number): Observation {
  const { threads, actors } = sight;
  const chosen = actors.length <= limit ? actors : [...actors].sort(busierFirst).slice(0, limit);
  const holds = new Map<ActorId, string[]>();
  for (const { holder, what } of sight.holds) holds.set(holder, [...(holds.get(holder) ?? []), what]);
  return {
    atMs,
    threads: sums(threads, actors),
    actors: chosen.map((actor) => observed(actor, known, holds.get(actor.id) ?? [])),
    more: actors.length - chosen.length,
  };
}

/** Those with a message in hand, queued, or waited for come before those that only have done much. */
const busierFirst = (a: ActorReport, b: ActorReport): number =>
  Number(isBusy(b)) - Number(isBusy(a)) || b.processed - a.processed;

const isBusy = (actor: ActorReport): boolean =>
  actor.inHand !== undefined || actor.waitsFor !== undefined || queuedOf(actor) > 0;

function sums(threads: readonly ThreadReport[], actors: readonly ActorReport[]): ObservedThread[] {
  const sum = new Map(threads.map(({ name }) => [name, { actors: 0, queued: 0, processed: 0 }]));
  for (const actor of actors) {
    const thread = sum.get(actor.thread);
    if (thread === undefined) continue;
    thread.actors++;
    thread.queued += queuedOf(actor);
    thread.processed += actor.processed;
  }
  return threads.map((thread) => ({
    ...thread,
    ...(sum.get(thread.name) ?? { actors: 0, queued: 0, processed: 0 }),
  }));
}

function observed(actor: ActorReport, known: KnownAs, holds: readonly string[]): ObservedActor {
  const { id, kind, thread, state, oldestMs, inHand, waitsFor, processed, restarts, lastError } = actor;
  const on = waitsFor && known.actor(waitsFor.on);
  return {
    ...{ id, name: known.name(actor), kind, thread, state, queued: queuedOf(actor), oldestMs, inHand },
    waitsFor: waitsFor && { ...waitsFor, on: on && known.name(on) },
    ...{ holds, processed, restarts, lastError },
  };
}
