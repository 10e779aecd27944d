/**
 * The transcript of one room: what was said, turn by turn, and how it is handed over to the state store.
 */
import type { Message } from './rendering.js';

export interface Exchange {
  /** Grows by one with each exchange of a room; names it in the store. */
  readonly index: number;
  readonly user: Message;
  /** `brokenOff`: the reply was ended by cancel, deadline or failure. */
  readonly reply: Message & { readonly brokenOff: boolean };
}

export interface Transcript {
  readonly room: string;
  exchanges: Exchange[];
  next: number;
}

export const emptyTranscript = (room: string): Transcript => ({ room, exchanges: [], next: 0 });

/** Room names may hold anything but the separator. */
const SEPARATOR = '\n';

export const storeKey = (room: string, index: number): string => `${room}${SEPARATOR}${index}`;

/** The transcripts that a state handed over earlier describes, by room. */
export function restoreTranscripts(saved: ReadonlyMap<string, unknown>): Map<string, Transcript> {
  const rooms = new Map<string, Transcript>();
  for (const [key, value] of saved) {
    const at = key.lastIndexOf(SEPARATOR);
    if (at < 0) continue;
    const room = key.slice(0, at);
    const transcript = rooms.get(room) ?? emptyTranscript(room);
    transcript.exchanges.push(value as Exchange);
    rooms.set(room, transcript);
  }
  for (const transcript of rooms.values()) {
    transcript.exchanges.sort((a, b) => a.index - b.index);
    transcript.next = (transcript.exchanges.at(-1)?.index ?? -1) + 1;
  }
  return rooms;
}

/** The messages of a prompt: system line, what was said, and the new message. */
export function conversation(
  system: Message | undefined,
  exchanges: readonly Exchange[],
  user: Message,
): Message[] {
  const said = exchanges.flatMap(({ user: asked, reply }) => [asked, reply]);
  return [...(system === undefined ? [] : [system]), ...said, user];
}
