/**
 * The rooms of a mind: a transcript each, and the turns that wait for the one before them.
 */
import { type Exchange, emptyTranscript, restoreTranscripts, type Transcript } from './transcript.js';
import type { Ending, Turn } from './turn.js';

export interface Room {
  readonly transcript: Transcript;
  readonly waiting: Turn[];
  active: Turn | undefined;
}

export class Rooms {
  readonly #rooms = new Map<string, Room>();

  constructor(saved: ReadonlyMap<string, unknown>) {
    for (const [name, transcript] of restoreTranscripts(saved)) {
      this.#rooms.set(name, { transcript, waiting: [], active: undefined });
    }
  }

  of(turn: Turn): Room {
    const { room: name } = turn.request;
    let room = this.#rooms.get(name);
    if (room === undefined) {
      room = { transcript: emptyTranscript(name), waiting: [], active: undefined };
      this.#rooms.set(name, room);
    }
    return room;
  }

  /** The turn no longer has its room, or its place in front of it. An empty room is forgotten. */
  leave(turn: Turn): Room {
    const room = this.of(turn);
    if (room.active === turn) room.active = undefined;
    const at = room.waiting.indexOf(turn);
    if (at >= 0) room.waiting.splice(at, 1);
    const idle = room.active === undefined && room.waiting.length === 0;
    if (idle && room.transcript.exchanges.length === 0) this.#rooms.delete(room.transcript.room);
    return room;
  }
}

const isWhole = ({ outcome }: Ending): boolean => outcome === 'stop' || outcome === 'length';

/** Whether a turn has become part of the conversation: an empty reply is one, nothing said before a break is none. */
export const isSaid = (turn: Turn, ending: Ending): boolean => turn.text !== '' || isWhole(ending);

/** Adds what was said and answered to a transcript. */
export function remember(transcript: Transcript, turn: Turn, ending: Ending): Exchange {
  const { text: content } = turn;
  const { reply: tokens } = ending;
  const exchange: Exchange = {
    index: transcript.next++,
    user: turn.prepared?.user ?? { role: 'user', content: turn.request.text },
    reply: {
      role: 'assistant',
      content,
      ...(tokens === undefined ? {} : { tokens, tokensOf: content }),
      brokenOff: !isWhole(ending),
    },
  };
  transcript.exchanges.push(exchange);
  return exchange;
}
