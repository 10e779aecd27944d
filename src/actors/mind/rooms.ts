/**
 * The rooms of a mind: a transcript each, and the turns that wait for the one before them.
 */
import type { Context } from '../../runtime/actor.js';
import type { MindControl } from './protocol.js';
import type { Message } from './rendering.js';
import {
  type Exchange,
  emptyTranscript,
  restoreTranscripts,
  storeKey,
  type Transcript,
} from './transcript.js';
import type { Turn } from './turn.js';

export interface Room {
  readonly transcript: Transcript;
  readonly waiting: Turn[];
  active: Turn | undefined;
}

type Recall = MindControl & { readonly type: 'recall' };

export class Rooms {
  readonly #rooms = new Map<string, Room>();

  constructor(saved: ReadonlyMap<string, unknown>) {
    for (const [name, transcript] of restoreTranscripts(saved)) {
      this.#rooms.set(name, { transcript, waiting: [], active: undefined });
    }
  }

  of(name: string): Room {
    let room = this.#rooms.get(name);
    if (room === undefined) {
      room = { transcript: emptyTranscript(name), waiting: [], active: undefined };
      this.#rooms.set(name, room);
    }
    return room;
  }

  said(name: string): readonly Exchange[] {
    return this.#rooms.get(name)?.transcript.exchanges ?? [];
  }

  /** Takes over what was said elsewhere, and hands it over; not if anything was said here. */
  recall({ room: name, exchanges }: Recall, ctx: Context): boolean {
    const { transcript, active } = this.of(name);
    if (transcript.exchanges.length > 0 || active !== undefined) return false;
    transcript.exchanges = [...exchanges];
    transcript.next = exchanges.length;
    for (const exchange of exchanges) ctx.save(storeKey(name, exchange.index), exchange);
    return true;
  }

  /** Drops what was said; not while a turn waits or runs. */
  forget(name: string, ctx: Context): boolean {
    const room = this.#rooms.get(name);
    if (room === undefined) return true;
    if (room.active !== undefined || room.waiting.length > 0) return false;
    forget(room.transcript, room.transcript.exchanges.length, ctx);
    this.#rooms.delete(name);
    return true;
  }

  /** The turn no longer has its room, or its place in front of it. An empty room is forgotten. */
  leave(turn: Turn): Room {
    const room = this.of(turn.request.room);
    if (room.active === turn) room.active = undefined;
    const at = room.waiting.indexOf(turn);
    if (at >= 0) room.waiting.splice(at, 1);
    const idle = room.active === undefined && room.waiting.length === 0;
    if (idle && room.transcript.exchanges.length === 0) this.#rooms.delete(room.transcript.room);
    return room;
  }
}

/** A reply as it was left: `tokens` where they are known. */
export interface Reply {
  readonly content: string;
  readonly tokens?: Int32Array | undefined;
  readonly brokenOff: boolean;
}

/** Takes the oldest exchanges out of a transcript. */
export function forget({ room, exchanges }: Transcript, count: number, ctx: Context): void {
  for (const { index } of exchanges.splice(0, count)) ctx.save(storeKey(room, index), undefined);
}

/** Adds what was said and answered to a transcript. */
export function remember(
  transcript: Transcript,
  user: Message,
  { content, tokens, brokenOff }: Reply,
): Exchange {
  const known = tokens === undefined ? {} : { tokens, tokensOf: content };
  const exchange: Exchange = {
    index: transcript.next++,
    user,
    reply: { role: 'assistant', content, ...known, brokenOff },
  };
  transcript.exchanges.push(exchange);
  return exchange;
}
