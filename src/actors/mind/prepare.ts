/**
 * From a turn's request to the tokens it runs: the conversation rendered, and shortened where it does not fit (T8).
 */
import { attachVocab } from '../engine/vocab.js';
import { fitTurns } from './fit.js';
import type { MindArgs, TurnRequest } from './protocol.js';
import { createRenderer, type Message, type Renderer, type Rendering } from './rendering.js';
import { conversation, type Exchange, type Transcript } from './transcript.js';
import type { Prepared } from './turn.js';

const renderers = new Map<number, Renderer>();

/** One renderer a model and thread: the template is parsed once. */
function rendererOf(model: number): Renderer {
  let renderer = renderers.get(model);
  if (renderer === undefined) {
    renderer = createRenderer(attachVocab(model));
    renderers.set(model, renderer);
  }
  return renderer;
}

export interface PreparedTurn {
  readonly prepared: Prepared;
  /** The system message with its tokens. */
  readonly system: Message | undefined;
  /** Store indices of the exchanges that left. */
  readonly dropped: readonly number[];
}

/** Renders the turn; writes tokens into the transcript and takes the turns out that leave. Throws ContextFull. */
export function prepare(
  mind: MindArgs,
  system: Message | undefined,
  transcript: Transcript,
  request: TurnRequest,
): PreparedTurn {
  const renderer = rendererOf(mind.model);
  const user: Message = { role: 'user', content: request.text };
  const render = (): Rendering => {
    const rendering = renderer.render(conversation(system, transcript, user), true);
    keepTokens(transcript, rendering.messages.slice(system === undefined ? 0 : 1));
    return rendering;
  };
  let rendering = render();
  const fit = fitTurns({
    ...counts(rendering, system !== undefined, transcript.exchanges),
    contextTokens: mind.context,
    maxTokens: request.maxTokens,
  });
  const dropped = transcript.exchanges.splice(0, fit.leave);
  if (dropped.length > 0) rendering = render();
  return {
    prepared: {
      user: rendering.messages.at(-1) ?? user,
      tokens: rendering.tokens,
      maxTokens: Math.max(1, Math.min(fit.maxTokens, mind.context - rendering.tokens.length)),
      turnsDropped: dropped.length,
    },
    system: system === undefined ? undefined : rendering.messages[0],
    dropped: dropped.map((exchange) => exchange.index),
  };
}

/** Refuses a system prompt that leaves no room for any message. Throws ContextFull. */
export function checkSystem(mind: MindArgs): void {
  if (mind.system === '') return;
  const messages = [
    { role: 'system', content: mind.system },
    { role: 'user', content: '' },
  ];
  const { tokens } = rendererOf(mind.model).render(messages, true);
  fitTurns({ contextTokens: mind.context, systemTokens: 0, turnTokens: [], messageTokens: tokens.length });
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
function keepTokens(transcript: Transcript, messages: readonly Message[]): void {
  transcript.exchanges = transcript.exchanges.map((exchange, i) => {
    const user = messages[2 * i] ?? exchange.user;
    const reply = messages[2 * i + 1] ?? exchange.reply;
    if (user === exchange.user && reply === exchange.reply) return exchange;
    return { ...exchange, user, reply: { ...reply, brokenOff: exchange.reply.brokenOff } };
  });
}
