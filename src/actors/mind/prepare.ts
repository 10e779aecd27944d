/**
 * From a turn's request to the tokens it runs: the conversation rendered, and shortened where it does not fit (T8).
 */
import { attachVocab } from '../engine/vocab.js';
import { fitTurns } from './fit.js';
import type { MindArgs, TurnRequest } from './protocol.js';
import { createRenderer, type Message, type Renderer, type Rendering } from './rendering.js';
import { conversation, type Exchange, type Transcript } from './transcript.js';
import type { Prepared } from './turn.js';

const contextOf = ({ limits }: MindArgs): number => Atomics.load(limits, 0);

interface Vocabulary {
  readonly renderer: Renderer;
  /** Bytes of the longest token: a text takes at least so many tokens as this divides its bytes. */
  readonly longestBytes: number;
}

const vocabularies = new Map<number, Vocabulary>();

/** One a model and thread: the template is parsed once. */
function vocabularyOf(model: number): Vocabulary {
  let vocabulary = vocabularies.get(model);
  if (vocabulary === undefined) {
    const handle = attachVocab(model);
    const { offsets } = handle.pieces();
    const lengths = offsets.subarray(1).map((end, token) => end - (offsets[token] as number));
    const longestBytes = lengths.reduce((longest, length) => Math.max(longest, length), 1);
    vocabulary = { renderer: createRenderer(handle), longestBytes };
    vocabularies.set(model, vocabulary);
  }
  return vocabulary;
}

/** Refuses at sight a text that can never fit: to tokenise megabytes would stop every mind of this thread. */
function checkLength(mind: MindArgs, text: string): void {
  const messageTokens = Math.ceil(Buffer.byteLength(text) / vocabularyOf(mind.model).longestBytes);
  fitTurns({ contextTokens: contextOf(mind), systemTokens: 0, turnTokens: [], messageTokens });
}

export interface PreparedTurn {
  readonly prepared: Prepared;
  /** The system message with its tokens. */
  readonly system: Message | undefined;
}

/**
 * Renders the turn without the oldest turns that it has no room for; they stay in the transcript, which is given tokens
 * and nothing else. Throws ContextFull.
 */
export function prepare(
  mind: MindArgs,
  system: Message | undefined,
  transcript: Transcript,
  request: TurnRequest,
): PreparedTurn {
  checkLength(mind, request.text);
  const { renderer } = vocabularyOf(mind.model);
  const user: Message = { role: 'user', content: request.text };
  const render = (from: number): Rendering => {
    const stays = transcript.exchanges.slice(from);
    const rendering = renderer.render(conversation(system, stays, user), true);
    const kept = withTokens(stays, rendering.messages.slice(system === undefined ? 0 : 1));
    transcript.exchanges = [...transcript.exchanges.slice(0, from), ...kept];
    return rendering;
  };
  let rendering = render(0);
  const fit = fitTurns({
    ...counts(rendering, system !== undefined, transcript.exchanges),
    contextTokens: contextOf(mind),
    maxTokens: request.maxTokens,
  });
  if (fit.leave > 0) rendering = render(fit.leave);
  return {
    prepared: {
      user: rendering.messages.at(-1) ?? user,
      tokens: rendering.tokens,
      base: mind.plainSystem && system !== undefined ? (rendering.ends[0] as number) : 0,
      partings: partingsOf(rendering.ends, system !== undefined),
      maxTokens: Math.max(1, Math.min(fit.maxTokens, contextOf(mind) - rendering.tokens.length)),
      turnsDropped: fit.leave,
    },
    system: system === undefined ? undefined : rendering.messages[0],
  };
}

/** After the system prompt, when the oldest turns leave; and after what was said before, when this turn comes to nothing. */
function partingsOf(ends: readonly number[], hasSystem: boolean): number[] {
  const before = ends.at(-2);
  if (before === undefined) return [];
  return hasSystem && ends.length > 2 ? [ends[0] as number, before] : [before];
}

/** Refuses a system prompt that leaves no room for any message. Throws ContextFull. */
export function checkSystem(mind: MindArgs): void {
  if (mind.system === '') return;
  checkLength(mind, mind.system);
  const messages = [
    { role: 'system', content: mind.system },
    { role: 'user', content: '' },
  ];
  const { tokens } = vocabularyOf(mind.model).renderer.render(messages, true);
  fitTurns({ contextTokens: contextOf(mind), systemTokens: 0, turnTokens: [], messageTokens: tokens.length });
}

/** Token counts of the system part, of each exchange, and of the new message, from where each message ends. */
function counts(
  rendering: Rendering,
  hasSystem: boolean,
  exchanges: readonly Exchange[],
): { systemTokens: number; turnTokens: number[]; messageTokens: number } {
  const { ends, tokens } = rendering;
  const first = hasSystem ? 1 : 0;
  const systemTokens = hasSystem ? (ends[0] as number) : 0;
  let at = systemTokens;
  const turnTokens = exchanges.map((_, i) => {
    const end = ends[first + 2 * i + 1] as number;
    const length = end - at;
    at = end;
    return length;
  });
  return { systemTokens, turnTokens, messageTokens: tokens.length - at };
}

/** What was tokenised stays with its message, so that it is never tokenised again. */
function withTokens(exchanges: readonly Exchange[], messages: readonly Message[]): Exchange[] {
  return exchanges.map((exchange, i) => {
    const user = messages[2 * i] ?? exchange.user;
    const reply = messages[2 * i + 1] ?? exchange.reply;
    if (user === exchange.user && reply === exchange.reply) return exchange;
    return { ...exchange, user, reply: { ...reply, brokenOff: exchange.reply.brokenOff } };
  });
}
