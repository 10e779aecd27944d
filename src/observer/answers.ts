/**
 * What each request is answered with, from the source.
 */
import { NoSuchActor } from '../errors.js';
import type { ActorId } from '../runtime/address.js';
import type { ActorReport } from '../runtime/inspect.js';
import type { KnownAs } from '../runtime/known-as.js';
import type { Sight } from '../runtime/standing.js';
import type { PeekReport } from '../runtime/thread-actor.js';
import { type Why, why } from '../runtime/why.js';
import { traceMessages } from './messages.js';
import { observe } from './observation.js';
import type { Answer, Peeked, Request } from './protocol.js';
import type { Look, Source } from './source.js';
import { type Listener, trace } from './trace.js';

/** Rejects with `NoSuchActor`, and with what the source rejects with. */
export async function answer(
  request: Request,
  source: Source,
  { sight, known, atMs }: Look,
  listener: Listener,
): Promise<Answer[Request['type']]> {
  switch (request.type) {
    case 'inspect':
      return observe(sight, known, request.limit, atMs);
    case 'why':
      return whyOf(sight, known, request.name);
    case 'genes':
      return source.genes();
    case 'memory':
      return source.memory();
    case 'pages':
      return source.pages();
    case 'peek':
      return named(await source.peek(find(known, request.name).id, request.preview), known);
    case 'messages': {
      const { actor, message, forMs: ms, perSecond: aSecond, preview } = request;
      const of = actor === undefined ? {} : { actor: find(known, actor).id };
      const type = message === undefined ? {} : { type: message };
      return traceMessages(source, known, { ...of, ...type, ms, aSecond, preview }, listener);
    }
    case 'trace': {
      const { actor: name, event, forMs, perSecond } = request;
      const actor = name === undefined ? undefined : find(known, name);
      const called = actor && [actor.id, actor.name, known.name(actor)];
      return trace(source, { actor: called, event, forMs, perSecond }, listener);
    }
  }
}

/** Throws `NoSuchActor`. */
export const whyOf = (sight: Sight, known: KnownAs, name: string): Why =>
  why(sight, find(known, name), known);

function find(known: KnownAs, name: string): ActorReport {
  const actor = known.find(name);
  if (actor !== undefined) return actor;
  throw new NoSuchActor({ name, near: known.nearest(name) });
}

function named(peeked: PeekReport, known: KnownAs): Peeked {
  const ids = [...peeked.queued, ...(peeked.inHand ? [peeked.inHand] : [])].map(({ from }) => from);
  const names: Record<ActorId, string> = {};
  for (const id of [peeked.id, ...ids, ...peeked.waits.map(({ on }) => on)]) {
    const actor = known.actor(id);
    if (actor !== undefined) names[id] = known.name(actor);
  }
  return { ...peeked, names };
}
