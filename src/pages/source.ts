/**
 * A page's bytes as files take and give them: through interfaces, so that they go between native memory and file
 * without a copy in between. `src/pages/store.ts` has the native ones.
 */
import { BadArgument } from '../errors.js';
import { MOST_KIND } from './header.js';
import { MOST_SECTIONS, pageBytes } from './manifest.js';

export interface PageLayout {
  readonly fingerprint: string;
  readonly cells: number;
  readonly sections: readonly { readonly kind: number; readonly bytes: number }[];
}

export interface PageBytes {
  /** CRC-32 (as zlib's) of what `before` is that of, followed by this part of a section. */
  checksum(section: number, offset: number, length: number, before: number): number;
}

export interface PageSource extends PageBytes {
  readonly layout: PageLayout;
  /** What is asked for of a section is at most so much of it, one such part after the other; left out: CHUNK_BYTES. */
  readonly chunkBytes?: number | undefined;
  /** Writes a part of a section where the file stands. Answers how many bytes; maybe not all. */
  write(file: number, section: number, offset: number, length: number): number;
}

/** A page that is being filled. */
export interface PageTarget extends PageBytes {
  /** Fills a part of a section from where the file stands. Answers how many bytes; 0 at its end. */
  read(file: number, section: number, offset: number, length: number): number;
  /** The page is whole. Answers its number. */
  seal(): number;
  /** Nothing of it is kept. */
  discard(): void;
}

/** Refuses what no manifest could hold. */
export function checkLayout({ sections }: PageLayout): void {
  const expected = (what: string) =>
    new BadArgument({ argument: 'sections', value: sections.length, expected: what });
  if (sections.length > MOST_SECTIONS) throw expected(`at most ${MOST_SECTIONS} sections`);
  if (sections.some(({ kind }) => !Number.isInteger(kind) || kind < 1 || kind > MOST_KIND)) {
    throw expected(`kinds from 1 to ${MOST_KIND}`);
  }
  if (!Number.isSafeInteger(pageBytes(sections))) throw expected('whole numbers of bytes');
}
