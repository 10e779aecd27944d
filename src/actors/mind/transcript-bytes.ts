/**
 * A room's transcript as bytes for a file, tokens too, so that nothing of it is tokenised again. Pure.
 */
import { PageCorrupt } from '../../errors.js';
import type { Message } from './rendering.js';
import type { Exchange } from './transcript.js';

const VERSION = 1;

export function encodeTranscript(exchanges: readonly Exchange[]): Uint8Array {
  const said = exchanges.map(({ user, reply }) => ({
    user: plain(user),
    reply: { ...plain(reply), brokenOff: reply.brokenOff },
  }));
  return Buffer.from(JSON.stringify({ version: VERSION, said }));
}

/** Throws PageCorrupt. */
export function decodeTranscript(bytes: Uint8Array): Exchange[] {
  const { version, said } = parse(bytes);
  if (version !== VERSION || !Array.isArray(said)) throw corrupt();
  return said.map((each: unknown, index) => {
    const { user, reply } = fieldsOf(each);
    const { brokenOff } = fieldsOf(reply);
    if (typeof brokenOff !== 'boolean') throw corrupt();
    return { index, user: messageOf(user, 'user'), reply: { ...messageOf(reply, 'assistant'), brokenOff } };
  });
}

const plain = ({ content, tokens, tokensOf }: Message) => ({
  content,
  ...(tokens === undefined ? {} : { tokens: Array.from(tokens), tokensOf }),
});

function messageOf(value: unknown, role: Message['role']): Message {
  const { content, tokens, tokensOf } = fieldsOf(value);
  if (typeof content !== 'string') throw corrupt();
  if (tokens === undefined) return { role, content };
  if (!Array.isArray(tokens) || !tokens.every(isToken) || typeof tokensOf !== 'string') throw corrupt();
  return { role, content, tokens: Int32Array.from(tokens), tokensOf };
}

const isToken = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function parse(bytes: Uint8Array): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(Buffer.from(bytes).toString()));
  } catch {
    return {};
  }
}

const corrupt = (): Error => new PageCorrupt({ what: 'its transcript', reason: 'it is not one' });
