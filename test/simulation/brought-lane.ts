/**
 * A lane's pieces as a job of the fake folder has them brought: over a while of virtual time, one after the other, and then
 * handed to the job, which runs in no time. One that could not be brought fails the job where it wants that piece.
 */
import type { WindowInfo } from '../../src/native/pages.js';
import type { Bringing, Brings, Piece } from '../../src/pages/pieces.js';
import type { FakePages } from './fake-pages.js';

export class BroughtLane implements Brings {
  readonly #pages: FakePages;
  readonly #pieces: Uint8Array[] = [];
  #window: WindowInfo | undefined;
  #error: unknown;
  #given = 0;

  constructor(pages: FakePages) {
    this.#pages = pages;
  }

  /** `pass`: lets time pass before each piece. */
  async collect(bringing: Bringing, pass: () => Promise<void>): Promise<void> {
    try {
      const window = await bringing.open();
      this.#pages.retain(window.page);
      this.#window = window;
      for (const piece of piecesOf(window)) {
        await pass();
        await bringing.fill(piece);
        this.#pieces.push(this.#pages.piece(window.page).slice(0, piece.length));
      }
    } catch (error) {
      this.#error = error;
    }
  }

  open(): WindowInfo {
    if (this.#window === undefined) throw this.#error;
    return this.#window;
  }

  fill(): void {
    const piece = this.#pieces[this.#given++];
    if (piece === undefined) throw this.#error;
    this.#pages.piece(this.open().page).set(piece);
  }

  /** The bytes of each section, when all were brought. */
  sections(): { readonly kind: number; readonly data: Uint8Array }[] {
    const { layout } = this.open();
    const all = piecesOf(this.open());
    return layout.sections.map(({ kind }, section) => ({
      kind,
      data: Buffer.concat(this.#pieces.filter((_, i) => all[i]?.section === section)),
    }));
  }

  /** The job is over. */
  letGo(): void {
    if (this.#window !== undefined) this.#pages.release(this.#window.page);
  }
}

const piecesOf = ({ pieceBytes, layout }: WindowInfo): Piece[] =>
  layout.sections.flatMap(({ bytes }, section) =>
    Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, i) => {
      const offset = i * pieceBytes;
      return { section, offset, length: Math.min(pieceBytes, bytes - offset) };
    }),
  );
