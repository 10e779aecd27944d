/**
 * The reader: the main thread's actor that gets the pieces of all turns from the engine and hands each to its turn.
 */
import type { Pieces } from './actors/engine/protocol.js';
import { ACK_EVERY } from './actors/engine/window.js';
import type { ReaderQuestion } from './actors/mind/protocol.js';
import type { Context, Definition } from './runtime/actor.js';
import { Band } from './runtime/message.js';
import type { Turn } from './turn.js';

interface Reading {
  readonly turn: Turn;
  pieces: number;
  readonly tokens: number[];
  /** Nothing more is taken of grants up to this one. */
  closed: number;
}

interface OnePiece {
  readonly grant: number;
  readonly text: string;
  readonly from: number;
  readonly tokens: readonly number[];
}

export class Reader {
  readonly #readings = new Map<number, Reading>();

  open(number: number, turn: Turn): void {
    this.#readings.set(number, { turn, pieces: 0, tokens: [], closed: 0 });
  }

  /** The turn has ended: nothing more of it is taken. */
  close(number: number): void {
    this.#readings.delete(number);
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

  #takeAll({ turns, grants, texts, from, tokens, counts }: Pieces, ctx: Context): void {
    let at = 0;
    for (let i = 0; i < turns.length; i++) {
      const end = at + (counts[i] as number);
      const piece = { grant: grants[i] as number, text: texts[i] as string, from: from[i] as number };
      this.#take(turns[i] as number, { ...piece, tokens: tokens.slice(at, end) }, ctx);
      at = end;
    }
  }

  /**
   * A run has no last word: what is still on its way is not taken, for the next run says it again. Of a turn that its caller
   * has given up nothing was read.
   */
  #tellHowFar({ turn: number, grant }: ReaderQuestion, ctx: Context): void {
    const reading = this.#readings.get(number);
    if (reading !== undefined) reading.closed = grant;
    const text = reading?.turn.text ?? '';
    const read = { type: 'read', turn: number, grant, text, tokens: reading?.tokens ?? [] };
    ctx.tell(ctx.sender, read, { band: Band.reserved });
  }

  /** What follows one that went with its engine is not taken: the answer has the whole. */
  #take(number: number, { grant, text, from, tokens }: OnePiece, ctx: Context): void {
    const reading = this.#readings.get(number);
    if (reading === undefined || grant <= reading.closed || from !== reading.turn.text.length) return;
    reading.pieces++;
    for (const token of tokens) reading.tokens.push(token);
    reading.turn.grow(text);
    if (reading.pieces % ACK_EVERY !== 0) return;
    ctx.tell(ctx.sender, { type: 'ack', grant, pieces: ACK_EVERY }, { band: Band.reserved });
  }
}
