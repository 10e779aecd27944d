/**
 * What can be seen of any actor without asking it: reads the counter boards of all threads.
 */
import { type ActorId, makeId, slotOf, threadOf } from './address.js';
import { ActorState, Board, Field, Header, STATE_NAMES, TIME_EDGES_MS } from './board.js';

export interface ActorReport {
  readonly id: ActorId;
  readonly name: string;
  readonly kind: string;
  readonly thread: string;
  readonly state: (typeof STATE_NAMES)[number] | 'handling';
  /** Messages queued, by band. */
  readonly depth: { readonly system: number; readonly control: number; readonly user: number };
  /** Age of the oldest user message, ms; 0 when none is queued. */
  readonly oldestMs: number;
  readonly inHand: { readonly type: string; readonly forMs: number } | undefined;
  readonly waitsFor:
    | { readonly reason: string; readonly on: ActorId; readonly forMs: number; readonly leftMs: number }
    | undefined;
  readonly processed: number;
  /**
   * Upper edges of the sampled handler times, ms: what a handler held its thread until it ended or first awaited.
   * Undefined before the first sample.
   */
  readonly handlerMs: { readonly p50: number; readonly p99: number } | undefined;
  readonly restarts: number;
  /** It has crashed and is started again after this. */
  readonly startsInMs: number | undefined;
  readonly lastError: string | undefined;
}

export interface ThreadReport {
  readonly number: number;
  readonly name: string;
  /** Up, and joined to the others. */
  readonly alive: boolean;
  /** Since the thread last began a slice of its loop, ms. An idle thread begins none. */
  readonly sinceSliceMs: number;
  /** Messages that reached nobody, so far. */
  readonly deadLetters: number;
  readonly restarts: number;
}

export interface SystemReport {
  readonly threads: readonly ThreadReport[];
  readonly actors: readonly ActorReport[];
}

export function readActors(
  board: Board,
  thread: { number: number; name: string },
  now: number,
): ActorReport[] {
  const reports: ActorReport[] = [];
  const slots = board.header[Header.slots] as number;
  for (let slot = 0; slot < slots; slot++) {
    const report = readActor(board, thread, slot, now);
    if (report !== undefined) reports.push(report);
  }
  return reports;
}

function readActor(
  board: Board,
  thread: { number: number; name: string },
  slot: number,
  now: number,
): ActorReport | undefined {
  const at = Board.at(slot);
  const field = (index: number): number => board.words[at + index] as number;
  const state = field(Field.state);
  if (state === ActorState.free) return undefined;
  const depth = (band: number): number =>
    Math.max(0, (field(Field.queued + band) - field(Field.taken + band)) | 0);
  const ago = (stamp: number): number => (Math.trunc(now) - stamp) | 0;
  const since = (stamp: number): number => Math.max(0, ago(stamp));
  const startsAt = field(Field.startsAt);
  const handling = board.header[Header.handling] === slot + 1;
  const inHand = handling ? handled(board) : awaited(board, at, state);
  const reason = board.names.text(field(Field.waitReason));
  const waitFor = field(Field.waitFor) >>> 0;
  return {
    id: makeId(thread.number, slot, field(Field.generation)),
    name: board.name(slot),
    kind: board.names.text(field(Field.kind)) ?? '?',
    thread: thread.name,
    state: handling ? 'handling' : (STATE_NAMES[state] ?? 'free'),
    depth: { system: depth(0), control: depth(1), user: depth(2) },
    oldestMs: depth(2) > 0 ? since(field(Field.oldestSince)) : 0,
    inHand: inHand && { type: inHand.type, forMs: since(inHand.since) },
    waitsFor:
      reason === undefined
        ? undefined
        : {
            reason,
            on: makeId(threadOf(waitFor), slotOf(waitFor), field(Field.waitGeneration)),
            forMs: since(field(Field.waitSince)),
            leftMs: (field(Field.waitDeadline) - Math.trunc(now)) | 0,
          },
    processed: field(Field.taken) + field(Field.taken + 1) + field(Field.taken + 2),
    handlerMs: percentiles((bucket) => field(Field.times + bucket)),
    restarts: field(Field.restarts),
    startsInMs: startsAt === 0 || state !== ActorState.starting ? undefined : Math.max(0, -ago(startsAt)),
    lastError: board.names.error(field(Field.lastError)),
  };
}

interface InHand {
  readonly type: string;
  readonly since: number;
}

function handled({ header, names }: Board): InHand | undefined {
  const type = names.text(header[Header.inHand] as number);
  return type === undefined ? undefined : { type, since: header[Header.inHandSince] as number };
}

function awaited({ words, names }: Board, at: number, state: number): InHand | undefined {
  const type = state === ActorState.awaiting ? names.text(words[at + Field.inHand] as number) : undefined;
  return type === undefined ? undefined : { type, since: words[at + Field.inHandSince] as number };
}

function percentiles(count: (bucket: number) => number): { p50: number; p99: number } | undefined {
  const counts = Array.from({ length: TIME_EDGES_MS.length + 1 }, (_, i) => count(i));
  const total = counts.reduce((sum, n) => sum + n, 0);
  if (total === 0) return undefined;
  const edge = (share: number): number => {
    let seen = 0;
    for (let i = 0; i < counts.length; i++) {
      seen += counts[i] as number;
      if (seen >= share * total) return TIME_EDGES_MS[i] ?? Number.POSITIVE_INFINITY;
    }
    return Number.POSITIVE_INFINITY;
  };
  return { p50: edge(0.5), p99: edge(0.99) };
}
