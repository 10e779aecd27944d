/**
 * The reader: the main thread's actor that gets the pieces of all turns from the engine and hands each to its turn.
 */
import type { Pieces } from './actors/engine/protocol.js';
import { ACK_EVERY } from './actors/engine/window.js';
import type { ReaderQuestion, TurnAnswer } from './actors/mind/protocol.js';
import type { Context, Definition } from './runtime/actor.js';
import { Band } from './runtime/message.js';
import type { Turn } from './turn.js';

interface Reading {
  readonly turn: Turn;
  pieces: number;
  readonly tokens: number[];
  /** Nothing more is taken of grants up to this one. */
  closed: number;
  /** Set once the turn has ended and pieces are still on the way. */
  last: { readonly pieces: number; readonly finish: () => void } | undefined;
}

export class Reader {
  readonly #readings = new Map<number, Reading>();

  open(number: number, turn: Turn): void {
    this.#readings.set(number, { turn, pieces: 0, tokens: [], closed: 0, last: undefined });
  }

  /** The turn has ended: `finish` is called when all its pieces are there, at once when nobody knows how many. */
  close(number: number, { pieces = 0 }: Pick<TurnAnswer, 'pieces'>, finish: () => void): void {
    const reading = this.#readings.get(number);
    if (reading === undefined || reading.pieces >= pieces) {
      this.#readings.delete(number);
      finish();
    } else reading.last = { pieces, finish };
  }

  /** The definition of the actor; it lives on the main thread. */
  get definition(): Definition {
    return {
      kind: 'reader',
      start: () => ({
        receive() {},
        control: (message: Pieces | ReaderQuestion, ctx: Context) => {
          if (message.type === 'pieces') this.#takeAll(message, ctx);
          else this.#tellHowFar(message, ctx);
        },
      }),
    };
  }

  #takeAll({ turns, grants, texts, tokens, counts }: Pieces, ctx: Context): void {
    let at = 0;
    for (let i = 0; i < turns.length; i++) {
      const end = at + (counts[i] as number);
      this.#take(turns[i] as number, grants[i] as number, texts[i] as string, tokens.slice(at, end), ctx);
      at = end;
    }
  }

  /** A run has no last word: what is still on its way is not taken, for the next run says it again. */
  #tellHowFar({ turn: number, grant }: ReaderQuestion, ctx: Context): void {
    const reading = this.#readings.get(number);
    if (reading === undefined) return;
    reading.closed = grant;
    const { turn, tokens, pieces } = reading;
    const read = { type: 'read', turn: number, grant, text: turn.text, tokens, pieces };
    ctx.tell(ctx.sender, read, { band: Band.reserved });
  }

  #take(number: number, grant: number, text: string, tokens: readonly number[], ctx: Context): void {
    const reading = this.#readings.get(number);
    if (reading === undefined || grant <= reading.closed) return;
    reading.pieces++;
    for (const token of tokens) reading.tokens.push(token);
    reading.turn.grow(text);
    if (reading.pieces % ACK_EVERY === 0) {
      ctx.tell(ctx.sender, { type: 'ack', grant, pieces: ACK_EVERY }, { band: Band.reserved });
    }
    if (reading.last === undefined || reading.pieces < reading.last.pieces) return;
    this.#readings.delete(number);
    reading.last.finish();
  }
}
