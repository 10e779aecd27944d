/**
 * How warm a gene is (G6), by LRU-2: when it was used for the last but one time, by whichever mind, with no decay. One turn
 * is one use. Uses belong to contents, not to copies: they outlive that the gene leaves, and that it is unloaded. So they do a start of
 * their keeper (`saved-uses.ts`).
 */

/** Numbers of the last two turns that ran a gene; 0: there was none. */
export interface Uses {
  readonly last: number;
  readonly before: number;
}

export const UNUSED: Uses = { last: 0, before: 0 };

/** Contents remembered, in about a megabyte; beyond it the one used least recently is as good as new. */
const REMEMBERED = 4_096;

/** Below 0: the first goes before the second. One that was used once has no last use but one, and so goes before all others. */
export const byColdest = (a: Uses, b: Uses): number => a.before - b.before || a.last - b.last;

export class UseTimes {
  /** By content; the one used least recently comes first. */
  readonly #uses = new Map<string, Uses>();
  readonly #keep: (content: string, uses: Uses | undefined) => void;
  #turns: number;

  /** `before`: those of an earlier start. `keep` is told of each change; undefined: it is remembered no more. */
  constructor(
    before: readonly (readonly [string, Uses])[] = [],
    keep: (content: string, uses: Uses | undefined) => void = () => {},
  ) {
    const inOrder = [...before].sort(([, a], [, b]) => a.last - b.last);
    for (const [content, uses] of inOrder) this.#uses.set(content, uses);
    this.#turns = inOrder.at(-1)?.[1].last ?? 0;
    this.#keep = keep;
  }

  /** One turn runs these. */
  use(contents: Iterable<string>): void {
    const turn = ++this.#turns;
    for (const content of new Set(contents)) {
      const uses = { last: turn, before: this.of(content).last };
      this.#uses.delete(content);
      this.#uses.set(content, uses);
      this.#keep(content, uses);
    }
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= REMEMBERED) break;
      this.#uses.delete(oldest);
      this.#keep(oldest, undefined);
    }
  }

  of(content: string): Uses {
    return this.#uses.get(content) ?? UNUSED;
  }
}
