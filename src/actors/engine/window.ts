/**
 * A window over the pieces of one reply on their way to its reader: a slow reader holds at most so many, and what comes
 * meanwhile is joined into one.
 */

/** Pieces sent and not yet acknowledged. */
export const PIECE_WINDOW = 64;
/** A reader acknowledges after so many. */
export const ACK_EVERY = 16;

export class PieceWindow {
  #onTheWay = 0;
  #text = '';

  /** Length of the text that waits to be sent. */
  get unsent(): number {
    return this.#text.length;
  }

  /** Takes new text; answers what to send now, if anything. */
  push(text: string): string | undefined {
    this.#text += text;
    return this.#next();
  }

  /** The reader took `pieces`; answers what to send now, if anything. */
  ack(pieces: number): string | undefined {
    this.#onTheWay = Math.max(0, this.#onTheWay - pieces);
    return this.#next();
  }

  #next(): string | undefined {
    if (this.#text === '' || this.#onTheWay >= PIECE_WINDOW) return undefined;
    const piece = this.#text;
    this.#text = '';
    this.#onTheWay++;
    return piece;
  }
}
