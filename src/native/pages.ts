/**
 * The pages of the addon: all the state of one activity outside a lane, in memory that belongs to the process.
 *
 * A page is sections of bytes, and is charged by the byte. Ids are never reused; any thread may use any page. What a page
 * holds never changes once it is sealed; only the pages of `create` begin unsealed. Errors: `OverCeiling`, `NoSuchPage`,
 * `PageMismatch`, `PageCorrupt`, `EmptyLane`, `BadArgument`, `NativeFailure`.
 */

/** Kinds of sections. Made by the addon: `kv`, `checkpoint` (may repeat); refused until there are drafts: the last two. */
export const SectionKind = {
  kv: 1,
  tokens: 2,
  meta: 3,
  checkpoint: 4,
  draftKv: 5,
  speculativeTail: 6,
} as const;
export type SectionKind = (typeof SectionKind)[keyof typeof SectionKind];

export interface SectionInfo {
  readonly kind: SectionKind;
  readonly bytes: number;
}

/** What the caller gives to a page: the tokens (int32), its own description; each at most once. */
export interface SectionData {
  readonly kind: typeof SectionKind.tokens | typeof SectionKind.meta;
  readonly data: Uint8Array;
}

export interface PageInfo {
  /** Bytes charged; more than the sections' by what they are rounded up to. */
  readonly bytes: number;
  /** Tokens that the lane held: cells that it takes when it is put back. */
  readonly cells: number;
  /** The kv section is the first one. */
  readonly sections: readonly SectionInfo[];
  /** Of the context that it came from. */
  readonly fingerprint: string;
  /** How often it must be let go until it is gone. */
  readonly references: number;
  /** Whether the store itself holds it yet; else only those do who have retained it, and it is gone with them. */
  readonly kept: boolean;
  /** False: it is being read back from files. */
  readonly sealed: boolean;
}

/** What a page has beside its state in the store. */
export type LayoutInfo = Omit<PageInfo, 'references' | 'kept' | 'sealed'>;

/** Through which a lane is read on its way to a file. */
export interface WindowInfo {
  /** Its number in the store, of which `write` and `checksum` do; a piece lies at the beginning of its section 0. */
  readonly page: number;
  /** The most that a piece has. */
  readonly pieceBytes: number;
  /** Of the page that the lane would become. */
  readonly layout: LayoutInfo;
}

export interface PageUsage {
  /** Charged for all pages that someone still holds. */
  readonly bytes: number;
  /** Of windows; no ceiling counts them. */
  readonly windows: number;
  /** Memory that is held and that nothing uses, ready for the next pages, checkpoints and genes that move. */
  readonly free: number;
  readonly ceiling: number;
  readonly count: number;
}

/** The state of a lane as it was at `position` tokens. */
export interface Checkpoint {
  readonly position: number;
  readonly bytes: number;
}

/** One that was dropped to stay in the budget. */
export interface EvictedCheckpoint extends Checkpoint {
  readonly lane: number;
}

export interface CheckpointCounts {
  readonly bytes: number;
  readonly budget: number;
  /** Dropped to stay in the budget, and not made because they alone are beyond it; of all so far. */
  readonly evicted: number;
  readonly skipped: number;
}

/** Of a context: how its lanes become pages and come back. On the context's thread. */
export interface NativePaging {
  /**
   * The model's content, the types of keys and values, flash attention and the layout of pages, as one text; equal for all
   * contexts of one model and such settings, whatever their lanes and cells.
   */
  readonly fingerprint: string;
  /** Bytes that `pageOut` with such sections charges now. Throws EmptyLane. */
  pageBytes(lane: number, sections: readonly { readonly kind: number; readonly bytes: number }[]): number;
  /**
   * Copies the lane's state, its checkpoints and the caller's sections into a new page, and empties the lane. Answers the
   * page's id; the store holds it. On any failure the lane is as it was. Throws EmptyLane; OverCeiling, before any copy.
   */
  pageOut(lane: number, sections: readonly SectionData[]): number;
  /**
   * Has what `pageOut` with such sections would make read piece by piece through memory of so many bytes, in place of what is
   * read so already. The lane stays as it is; what changes it closes the window. Throws EmptyLane, and NativeFailure where
   * there is no memory, or too little of it for what is kept beside a piece: some 16 bytes a token.
   */
  openWindow(lane: number, sections: readonly SectionData[], bytes: number): WindowInfo;
  /**
   * The bytes of a section are the piece now. Throws BadArgument where there are no such, or no window any more, and
   * NativeFailure where the lane is not what it was.
   */
  fillWindow(section: number, offset: number, length: number): void;
  /** Its memory is free when whoever writes the piece has let go of it. */
  closeWindow(): void;
  /**
   * Puts a page into an empty lane, in the cells that it had if they are free. The page stays. On failure the lane is empty.
   * Throws PageMismatch, NoSuchPage, PageCorrupt, and NativeFailure where the free cells do not suffice.
   */
  pageIn(lane: number, page: number): void;
  /**
   * For models that cannot roll back: keeps the lane's state as it is now. A lane has at most one checkpoint of a position.
   * Undefined: the model can roll back, the lane is empty, or it is beyond the budget.
   */
  checkpoint(lane: number): Checkpoint | undefined;
  /** Takes the lane back to its newest checkpoint at or before `position`, and answers that one's; undefined: it has none. */
  restoreCheckpoint(lane: number, position: number): number | undefined;
  /** In order of positions. They go with what the lane loses by `cut`, `clear` and `pageOut`. */
  checkpoints(lane: number): Checkpoint[];
  /**
   * For all lanes together; 0 at first: no checkpoints. When it is exceeded, the lane that holds most drops its oldest after
   * its first.
   */
  setCheckpointBudget(bytes: number): void;
  checkpointCounts(): CheckpointCounts;
  /** Those that the last `checkpoint`, `pageIn` or `setCheckpointBudget` dropped, in order. */
  evictedCheckpoints(): EvictedCheckpoint[];
}

/** The pages of the process. */
export interface PageStore {
  /** Undefined: there is none of that id any more. */
  info(id: number): PageInfo | undefined;
  /** A copy of the first section of that kind, for small ones; undefined: the page has none. Throws NoSuchPage. */
  section(id: number, kind: number): Uint8Array | undefined;
  /** Holds a page; the end of the calling thread lets go what it still holds. Throws NoSuchPage. */
  retain(id: number): void;
  /**
   * Lets go what this thread retained, or else what the store itself has held since the page was made. Memory and charge end
   * with the last. Throws NoSuchPage.
   */
  release(id: number): void;
  /** Ids of all pages, unsealed ones and windows too, in order of their making. */
  list(): number[];
  usage(): PageUsage;
  /** For pages to come: those that there are stay. At first there is none (`Infinity`). */
  setCeiling(bytes: number): void;
  /** Gives memory that is held and unused back to the system; answers how much. */
  trim(): number;
  /**
   * Writes bytes of a section to an open file at its current position, all of them. Throws NativeFailure with the system's
   * reason; how much was written then is unknown. Blocks.
   */
  write(fd: number, id: number, section: number, offset: number, length: number): number;
  /** CRC-32 (as zlib's) of bytes of a section, going on from `start`, 0 for a new one. */
  checksum(id: number, section: number, offset: number, length: number, start: number): number;
  /** A page to be filled by `read`, all of it, and then sealed. Charged at once. Throws OverCeiling. */
  create(layout: {
    readonly fingerprint: string;
    readonly cells: number;
    readonly sections: readonly SectionInfo[];
  }): number;
  /**
   * Reads from an open file, at its current position, into a section of an unsealed page. Answers how many bytes came: fewer
   * than asked for at the file's end only. Throws NativeFailure with the system's reason. Blocks.
   */
  read(fd: number, id: number, section: number, offset: number, length: number): number;
  /** Checks what was read, and lets it be paged in. Throws PageCorrupt; the page stays as it is then. */
  seal(id: number): void;
}
