/**
 * A conversation as the tokens of a prompt, by the model's own chat template.
 *
 * Three promises. Special tokens are read only in what the template writes, never in what people or minds wrote.
 * A text is tokenised once: a reply keeps the tokens that were produced, and a message those of its first rendering.
 * So the tokens of the next turn begin with those of this one and its reply, wherever the template allows it.
 */
import { compileTemplate } from './chat-template.js';
import { FALLBACK_TEMPLATE } from './fallback-template.js';
import { createGuard, type Guard } from './guard.js';
import { chooseMarkers, type Markers } from './markers.js';
import { readSegments, type Segment } from './segments.js';
import { createSystemFold } from './system-fold.js';
import { createTokenCache } from './token-cache.js';

/** What rendering needs of a model; a NativeModel is one. */
export interface Vocab {
  readonly info: {
    readonly template: string | null;
    readonly addBos: boolean;
    /** -1 = none. */
    readonly bos: number;
    readonly eos: number;
  };
  tokenize(text: string, options: { special: boolean; continues: boolean }): Int32Array;
  detokenize(tokens: Int32Array, special: boolean): Uint8Array;
  specials(): readonly string[];
}

export interface Message {
  readonly role: string;
  readonly content: string;
  /** The tokens of `tokensOf`: produced, or filled in by a rendering. */
  readonly tokens?: Int32Array;
  /** The text that `tokens` stand for: the content, or as much of it as the template kept. */
  readonly tokensOf?: string;
}

export interface Rendering {
  readonly tokens: Int32Array;
  /** The messages given, with their tokens filled in. */
  readonly messages: readonly Message[];
  /** For each message how many of `tokens` it takes to reach the end of its text. */
  readonly ends: readonly number[];
}

export interface Renderer {
  /** `generate`: whether the prompt ends with the beginning of a reply. Throws TemplateFailed. */
  render(messages: readonly Message[], generate: boolean): Rendering;
}

type Tokenize = (text: string, special: boolean, continues: boolean) => Int32Array;

/** One renderer serves all conversations of a model on a thread. Throws TemplateFailed. */
export function createRenderer(vocab: Vocab): Renderer {
  const { addBos, bos, eos } = vocab.info;
  const source = vocab.info.template ?? FALLBACK_TEMPLATE;
  const template = compileTemplate(source);
  const guard = createGuard(vocab.specials());
  const cached = createTokenCache();
  const fold = createSystemFold();
  const words = { bos_token: literal(vocab, bos), eos_token: literal(vocab, eos) };

  const tokenize: Tokenize = (text, special, continues) => {
    const fresh = () => vocab.tokenize(text, { special, continues });
    return special ? cached(continues ? '+' : '^', text, fresh) : fresh();
  };

  return {
    render(messages, generate) {
      const markers = chooseMarkers(messages.length, [source, ...messages.map((message) => message.content)]);
      const frames = messages.map((message, i) => frame(message, i, markers, guard));
      const given = messages.map(({ role }, i) => ({ role, content: (frames[i] as Frame).content }));
      const output = fold(given, markers, (folded) =>
        template({ messages: folded, add_generation_prompt: generate, ...words }),
      );
      return assemble(readSegments(output, markers, frames), messages, addBos ? bos : -1, tokenize);
    },
  };
}

interface Frame {
  /** What the template gets. */
  readonly content: string;
  readonly lead: string;
  readonly trail: string;
}

/**
 * A message's text between its markers. Whitespace around it stays outside, for the template to keep or to trim;
 * but a text whose tokens are known is what it is, whitespace too, or a reply would change after it was produced.
 */
function frame(message: Message, index: number, markers: Markers, guard: Guard): Frame {
  const { content } = message;
  const settled = message.tokens !== undefined && message.tokensOf === content;
  const core = settled ? content : content.trim();
  if (core === '') return { content, lead: '', trail: '' };
  const at = content.indexOf(core);
  const lead = content.slice(0, at);
  const trail = content.slice(at + core.length);
  const marked = markers.open(index) + guard(core, markers.breaker) + markers.close(index);
  return { content: (lead && markers.space) + marked + (trail && markers.space), lead, trail };
}

function assemble(
  segments: readonly Segment[],
  messages: readonly Message[],
  firstToken: number,
  tokenize: Tokenize,
): Rendering {
  const filled = [...messages];
  const ends = new Array<number>(messages.length).fill(-1);
  const chunks: Int32Array[] = [];
  let length = 0;
  let continues = false;
  const add = (tokens: Int32Array): void => {
    chunks.push(tokens);
    length += tokens.length;
    continues = true;
  };
  for (const { message, parts } of segments) {
    const from = chunks.length;
    const known = filled[message];
    const text = parts.join('');
    if (known?.tokens !== undefined && known.tokensOf === text) add(known.tokens);
    else for (const part of parts) add(tokenize(part, message < 0, continues));
    if (known === undefined) continue;
    if (known.tokensOf !== text)
      filled[message] = { ...known, tokens: concat(chunks.slice(from)), tokensOf: text };
    ends[message] = length;
  }
  const tokens = concat(chunks);
  const bosMissing = firstToken >= 0 && tokens[0] !== firstToken;
  let last = 0;
  return {
    tokens: bosMissing ? concat([Int32Array.of(firstToken), tokens]) : tokens,
    messages: filled,
    ends: ends.map((end) => {
      last = end < 0 ? last : end + (bosMissing ? 1 : 0);
      return last;
    }),
  };
}

function concat(chunks: readonly Int32Array[]): Int32Array {
  const whole = new Int32Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

const literal = (vocab: Vocab, token: number): string =>
  token < 0 ? '' : new TextDecoder().decode(vocab.detokenize(Int32Array.of(token), true));
