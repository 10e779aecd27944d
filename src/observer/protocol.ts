/**
 * What an observer may ask of a running process, over the control socket in its data folder: lines of JSON, one request
 * at a time a connection, each with one reply. Every request is bounded, and so is every answer.
 *
 * The server speaks first, with `hello`; then `{"id":1,"type":"why","name":"ada"}` is answered by
 * `{"type":"reply","id":1,"value":{...}}` or `{"type":"failed","id":1,"error":{...}}`. While a `trace` runs, its events
 * come before its reply.
 */
import { BadArgument } from '../errors.js';
import type { ErrorEnvelope } from '../runtime/errors.js';
import type { PeekReport } from '../runtime/thread-actor.js';
import type { Why } from '../runtime/why.js';
import type { GenesSeen } from './genes.js';
import type { MemorySeen } from './memory.js';
import type { Observation } from './observation.js';
import type { PagesSeen } from './pages.js';

/** Grows when an older observer could misread an answer. */
export const PROTOCOL = 1;

/** Requests are short: names and numbers. */
export const MAX_REQUEST_CHARACTERS = 4_096;
/** Requests that wait for the one before; who asks for more without listening is cut off. */
export const MAX_PENDING = 16;
/** An answer with as many actors as may be asked for stays well below. */
export const MAX_ANSWER_CHARACTERS = 4 * 2 ** 20;
/** Observers at one time; each is a person, or a page that a person looks at. */
export const MAX_CONNECTIONS = 8;
/** A reader that leaves so many bytes unread is cut off. */
export const MAX_UNREAD_BYTES = 2 * 2 ** 20;
/** Events of a trace are left out, and counted, while so many bytes are unread. */
export const MAX_TRACE_UNREAD_BYTES = 256 * 2 ** 10;
/** An answer takes milliseconds unless the thread that is asked is stuck. */
export const ANSWER_MS = 3_000;
/** A connection on which nothing is said for so long is closed. */
export const SILENT_MS = 120_000;

/** Actors of one `inspect`: those with most going on. */
export const DEFAULT_ACTORS = 500;
export const MAX_ACTORS = 2_000;

/** A trace ends by itself, and sends no more than this. */
export const DEFAULT_TRACE_MS = 10_000;
export const MAX_TRACE_MS = 60_000;
export const DEFAULT_TRACE_EVENTS = 50;
export const MAX_TRACE_EVENTS = 200;

export type Request =
  | { readonly type: 'inspect'; readonly limit: number }
  | { readonly type: 'why'; readonly name: string }
  | { readonly type: 'genes' }
  | { readonly type: 'memory' }
  | { readonly type: 'pages' }
  /** `preview`: with the shape of each message, texts redacted. */
  | { readonly type: 'peek'; readonly name: string; readonly preview: boolean }
  /** Events as they happen, of one actor or of one name, as far as given; `perSecond` at most. */
  | {
      readonly type: 'trace';
      readonly actor: string | undefined;
      readonly event: string | undefined;
      readonly forMs: number;
      readonly perSecond: number;
    }
  /** Messages as they come and go, of one actor or of one type, as far as given. */
  | {
      readonly type: 'messages';
      readonly actor: string | undefined;
      readonly message: string | undefined;
      readonly forMs: number;
      readonly perSecond: number;
      readonly preview: boolean;
    };

/** What each request is answered with. */
export interface Answer {
  readonly inspect: Observation;
  readonly why: Why;
  readonly genes: GenesSeen;
  readonly memory: MemorySeen;
  readonly pages: PagesSeen;
  readonly peek: Peeked;
  readonly trace: { readonly sent: number; readonly leftOut: number };
  readonly messages: { readonly sent: number; readonly leftOut: number };
}

/** A peek with the actors' names beside their addresses. */
export interface Peeked extends PeekReport {
  readonly names: Readonly<Record<number, string>>;
}

/** Something that happened, with its fields. */
export interface TraceEvent {
  readonly name: string;
  readonly [field: string]: unknown;
}

export type ServerLine =
  | { readonly type: 'hello'; readonly protocol: number; readonly pid: number }
  | { readonly type: 'reply'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: ErrorEnvelope }
  | { readonly type: 'event'; readonly id: number; readonly event: TraceEvent };

export const encode = (line: ServerLine | (Request & { readonly id: number })): string =>
  `${JSON.stringify(line)}\n`;

/** Reads a request. Throws `BadArgument` for anything that is none; fields that may be left out get their defaults. */
export function parseRequest(line: string): { readonly id: number; readonly request: Request } {
  const given = parseObject(line);
  const id = whole(given.id, 'id', 0, Number.MAX_SAFE_INTEGER);
  switch (given.type) {
    case 'inspect':
      return {
        id,
        request: { type: 'inspect', limit: whole(given.limit ?? DEFAULT_ACTORS, 'limit', 1, MAX_ACTORS) },
      };
    case 'why':
      return { id, request: { type: 'why', name: text(given.name, 'name') } };
    case 'genes':
      return { id, request: { type: 'genes' } };
    case 'memory':
      return { id, request: { type: 'memory' } };
    case 'pages':
      return { id, request: { type: 'pages' } };
    case 'peek':
      return {
        id,
        request: { type: 'peek', name: text(given.name, 'name'), preview: given.preview === true },
      };
    case 'messages': {
      const forMs = whole(given.forMs ?? DEFAULT_TRACE_MS, 'forMs', 1, MAX_TRACE_MS);
      const perSecond = whole(given.perSecond ?? DEFAULT_TRACE_EVENTS, 'perSecond', 1, MAX_TRACE_EVENTS);
      const actor = given.actor === undefined ? undefined : text(given.actor, 'actor');
      const message = given.message === undefined ? undefined : text(given.message, 'message');
      const preview = given.preview === true;
      return { id, request: { type: 'messages', actor, message, forMs, perSecond, preview } };
    }
    case 'trace': {
      const forMs = whole(given.forMs ?? DEFAULT_TRACE_MS, 'forMs', 1, MAX_TRACE_MS);
      const perSecond = whole(given.perSecond ?? DEFAULT_TRACE_EVENTS, 'perSecond', 1, MAX_TRACE_EVENTS);
      const actor = given.actor === undefined ? undefined : text(given.actor, 'actor');
      const event = given.event === undefined ? undefined : text(given.event, 'event');
      return { id, request: { type: 'trace', actor, event, forMs, perSecond } };
    }
    default:
      throw new BadArgument({
        argument: 'type',
        value: given.type,
        expected: 'inspect, why, genes, memory, pages, peek, trace or messages',
      });
  }
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new BadArgument({ argument: 'the request', value: line, expected: 'an object in one line of JSON' });
}

function text(value: unknown, argument: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new BadArgument({ argument, value, expected: 'a string that is not empty' });
}

function whole(value: unknown, argument: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BadArgument({ argument, value, expected: `a whole number from ${least} to ${most}` });
}
