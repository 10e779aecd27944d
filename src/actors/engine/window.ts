/**
 * A window over the pieces of one reply on their way to a reader: a slow reader holds at most so many messages, and
 * what comes meanwhile is joined into one.
 */

/** Pieces sent and not yet acknowledged. */
export const PIECE_WINDOW = 64;
/** A reader acknowledges after so many. */
export const ACK_EVERY = 16;

export class PieceWindow {
  #sent = 0;
  #onTheWay = 0;
  #text = '';
  #tokens = 0;

  /** Pieces sent so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Takes new text; answers what to send now, if anything. */
  push(text: string, tokens: number): { text: string; tokens: number } | undefined {
    this.#text += text;
    this.#tokens += tokens;
    return this.#next();
  }

  /** The reader took `pieces`; answers what to send now, if anything. */
  ack(pieces: number): { text: string; tokens: number } | undefined {
    this.#onTheWay = Math.max(0, this.#onTheWay - pieces);
    return this.#next();
  }

  /** What was not sent, at the end. */
  rest(): string {
    const text = this.#text;
    this.#text = '';
    this.#tokens = 0;
    return text;
  }

  #next(): { text: string; tokens: number } | undefined {
    if (this.#text === '' || this.#onTheWay >= PIECE_WINDOW) return undefined;
    const piece = { text: this.#text, tokens: this.#tokens };
    this.#text = '';
    this.#tokens = 0;
    this.#sent++;
    this.#onTheWay++;
    return piece;
  }
}
