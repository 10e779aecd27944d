/**
 * What an observer shows: rates out of two observations, the busiest first, every cell as a text. Pure, and for any
 * screen; how wide a column is and where it ends is the screen's business.
 */
import { duration } from '../runtime/duration.js';
import type { Observation, ObservedActor, ObservedThread } from './observation.js';

export { duration } from '../runtime/duration.js';
export { size } from '../runtime/size.js';

export interface ThreadRow {
  readonly name: string;
  readonly state: string;
  readonly actors: string;
  readonly queued: string;
  /** Messages a second; empty until there are two observations. */
  readonly rate: string;
}

export interface ActorRow {
  readonly name: string;
  readonly thread: string;
  readonly queued: string;
  readonly rate: string;
  /** Age of the oldest message. */
  readonly oldest: string;
  readonly inHand: string;
  /** What it waits for, else what it has that another works on. */
  readonly waitsFor: string;
  /** Restarts and the last error. */
  readonly trouble: string;
}

export interface View {
  readonly threads: readonly ThreadRow[];
  readonly actors: readonly ActorRow[];
  /** Actors that are not in the list. */
  readonly more: number;
  /** Messages a second, of all threads; undefined until there are two observations. */
  readonly rate: number | undefined;
}

/** A thread with messages in its mailboxes whose loop has not turned for so long is shown as stuck. */
const STUCK_MS = 1_000;

export function viewOf(now: Observation, before?: Observation): View {
  const seconds = before === undefined ? 0 : (now.atMs - before.atMs) / 1_000;
  const old = new Map(before?.actors.map(({ id, processed }) => [id, processed]));
  const oldThreads = new Map(before?.threads.map(({ name, processed }) => [name, processed]));
  // A counter that went down is another's: of an actor that was started again with its thread.
  const rate = (count: number, last: number | undefined): number | undefined =>
    seconds <= 0 || last === undefined || count < last ? undefined : (count - last) / seconds;
  const rated = now.actors.map((actor) => ({ actor, rate: rate(actor.processed, old.get(actor.id)) }));
  const threads = now.threads.map((thread) => ({
    thread,
    rate: rate(thread.processed, oldThreads.get(thread.name)),
  }));
  const known = threads.flatMap((one) => one.rate ?? []);
  return {
    threads: threads.map((one) => threadRow(one.thread, one.rate)),
    actors: rated.sort(busierFirst).map((one) => actorRow(one.actor, one.rate)),
    more: now.more,
    rate: known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0),
  };
}

interface Rated {
  readonly actor: ObservedActor;
  readonly rate: number | undefined;
}

/** By what it does, then by what it has to do, then by how long it has been at it. */
const busierFirst = (a: Rated, b: Rated): number =>
  (b.rate ?? 0) - (a.rate ?? 0) ||
  b.actor.queued - a.actor.queued ||
  (b.actor.inHand?.forMs ?? -1) - (a.actor.inHand?.forMs ?? -1) ||
  Number(b.actor.waitsFor !== undefined) - Number(a.actor.waitsFor !== undefined) ||
  b.actor.processed - a.actor.processed ||
  a.actor.name.localeCompare(b.actor.name);

function threadRow(thread: ObservedThread, rate: number | undefined): ThreadRow {
  const { name, alive, sinceSliceMs, restarts, actors, queued } = thread;
  const stuck = queued > 0 && sinceSliceMs >= STUCK_MS;
  const state = !alive ? 'lost' : stuck ? `stuck for ${duration(sinceSliceMs)}` : 'up';
  return {
    name,
    state: restarts === 0 ? state : `${state}, restarted ${restarts} times`,
    actors: String(actors),
    queued: String(queued),
    rate: perSecond(rate),
  };
}

function actorRow(actor: ObservedActor, rate: number | undefined): ActorRow {
  const { name, thread, queued, oldestMs, inHand, waitsFor, holds, restarts, lastError } = actor;
  // What works for it says more than that it waits for itself.
  const waits =
    waitsFor &&
    !(waitsFor.on === name && holds.length > 0) &&
    `${waitsFor.on ?? 'an actor that is gone'} ${waitsFor.reason} ${duration(waitsFor.forMs)}`;
  return {
    name,
    thread,
    queued: String(queued),
    rate: perSecond(rate),
    oldest: oldestMs > 0 ? duration(oldestMs) : '',
    inHand: inHand === undefined ? '' : `${inHand.type} ${duration(inHand.forMs)}`,
    waitsFor: waits || holds.join(', '),
    trouble: [
      ...(restarts > 0 ? [`${restarts} restarts`] : []),
      ...(lastError === undefined ? [] : [lastError]),
    ].join(', '),
  };
}

/** Whole numbers, and one decimal below ten. */
const perSecond = (rate: number | undefined): string =>
  rate === undefined ? '' : rate === 0 || rate >= 10 ? String(Math.round(rate)) : rate.toFixed(1);
