/**
 * What of a conversation goes into a lane: which oldest turns leave, and how long the reply may get (T8).
 *
 * Counts tokens only; whoever calls leaves the turns out, renders anew and asks again if the template surprised it.
 */
import { ContextFull } from '../../errors.js';

/** Part of the context that a reply may take when nobody says how long it may get. */
const REPLY_PART = 1 / 4;
/** Part of the context that a prompt may take where prompt and reply do not both fit whole. */
const PROMPT_PART = 3 / 4;

export interface Fitting {
  /** Tokens that a lane may hold. */
  readonly contextTokens: number;
  /** Tokens of everything that always stays before the turns: the system prompt, a bos. */
  readonly systemTokens: number;
  /** Tokens of each earlier turn, message and reply with what the template writes around them; oldest first. */
  readonly turnTokens: readonly number[];
  /** Tokens of the new message, to the beginning of its reply. */
  readonly messageTokens: number;
  /** The reply's wanted limit in tokens; a quarter of the context when left out. */
  readonly maxTokens?: number | undefined;
}

export interface Fit {
  /** How many of the oldest turns leave. */
  readonly leave: number;
  readonly promptTokens: number;
  /** The reply's limit: as wanted, or the room that is left; at least 1. */
  readonly maxTokens: number;
}

/** The reply's limit in tokens where none was given. */
export const defaultMaxTokens = (contextTokens: number): number =>
  Math.max(1, Math.floor(contextTokens * REPLY_PART));

/** Throws ContextFull when the system prompt and the message alone take more than three quarters of the context. */
export function fitTurns(given: Fitting): Fit {
  const { contextTokens, systemTokens, turnTokens, messageTokens } = given;
  const wanted = given.maxTokens ?? defaultMaxTokens(contextTokens);
  const room = Math.floor(contextTokens * PROMPT_PART);
  const needTokens = systemTokens + messageTokens;
  if (needTokens > room) throw new ContextFull({ needTokens, roomTokens: room, contextTokens });
  let promptTokens = turnTokens.reduce((sum, tokens) => sum + tokens, needTokens);
  let leave = 0;
  if (promptTokens + wanted > contextTokens) {
    for (; promptTokens > room; leave++) promptTokens -= turnTokens[leave] as number;
  }
  return { leave, promptTokens, maxTokens: Math.min(wanted, contextTokens - promptTokens) };
}
