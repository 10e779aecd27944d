/**
 * The pager's half on disk: activities written and read, because somebody asks for it or because the broker needs one in memory
 * again.
 */
import { crc32 } from 'node:zlib';
import {
  DeadlineExceeded,
  EmptyLane,
  EngineLost,
  MailboxFull,
  NoSuchPage,
  PageMismatch,
} from '../../errors.js';
import { Progress } from '../../pages/progress.js';
import type { PageFile, PageList } from '../../pages/read.js';
import type { Context } from '../../runtime/actor.js';
import { Band } from '../../runtime/message.js';
import type { FoundPage } from '../broker/protocol.js';
import type { PageMove, PageRecord } from '../engine/protocol.js';
import { decodeTranscript } from '../mind/transcript-bytes.js';
import type { Books } from './books.js';
import { unlessAborted } from './disk-waits.js';
import type { Folder } from './folder.js';
import { hashesOf } from './gene-hashes.js';
import type { Handed } from './handed.js';
import type { Loans } from './loans.js';
import type { Owners } from './owners.js';
import { tellOfDisk } from './post.js';
import type { FileMessage, MoveMessage, PagerAnswers, PagerArgs, Recalled, WhatMoves } from './protocol.js';
import { Removals } from './removals.js';
import { TakeBacks } from './take-backs.js';
import { fromPage, type WhatIsWritten } from './writing.js';

/** Spills and recalls at a time: more than a disk does well. */
const MAX_JOBS = 256;
/** Times that a page may come back into its lane before it is written: a room that busy is asked for again later. */
const MOST_TRIES = 8;

type Of<Type extends FileMessage['type']> = FileMessage & { readonly type: Type };
type Move = (message: MoveMessage) => Promise<PageMove>;

export class Files {
  readonly #ctx: Context;
  readonly #args: PagerArgs;
  readonly #loans: Loans;
  readonly #move: Move;
  readonly #removals: Removals;
  readonly folder: Folder;
  readonly handed: Handed;
  readonly takeBacks: TakeBacks;
  readonly owners: Owners;
  /** Names of what is being written for its own sake. */
  readonly #owned: string[] = [];
  #jobs = 0;

  /** `move`: has an activity leave its lane. */
  constructor(ctx: Context, args: PagerArgs, books: Books, folder: Folder, move: Move) {
    const { loans, owners, handed } = books;
    this.#ctx = ctx;
    this.#args = args;
    this.#loans = loans;
    this.#move = move;
    this.folder = folder;
    this.owners = owners;
    this.handed = handed;
    this.#removals = new Removals(ctx, args, { folder, loans, owners });
    this.takeBacks = new TakeBacks(ctx, loans, this.#removals);
  }

  async answer(message: FileMessage): Promise<PagerAnswers[FileMessage['type']]> {
    if (this.#jobs >= MAX_JOBS) {
      throw new MailboxFull({ actor: this.#ctx.name, band: 'user', bound: MAX_JOBS });
    }
    this.#jobs++;
    try {
      if (message.type === 'files') return await this.#list(message.deadlineMs);
      if (message.type === 'spill') return await this.#spill(message);
      if (message.type === 'restore') return await this.#restore(message);
      const { name, deadlineMs } = message;
      const leftMs = this.#leftOf(`the removal of ${name}`, deadlineMs);
      await this.cleared(name, deadlineMs);
      return await this.#removals.remove(name, leftMs());
    } finally {
      this.#jobs--;
    }
  }

  /** The folder is open, and no file of that name is about to go. */
  async cleared(name: string, deadlineMs: number): Promise<void> {
    const { folder } = this;
    await folder.waits.during(`looking for ${name} on disk`, deadlineMs, async (signal) => {
      await unlessAborted(folder.open(), signal);
      await unlessAborted(this.takeBacks.over(name), signal);
    });
  }

  /** Lets go of a page in memory that was read and that nobody has taken over. */
  release(page: number): void {
    this.handed.release(page);
    this.folder.tellEngine();
  }

  /** What is written under that name for want of memory is a loan, unless the user has it, or is about to, for its own sake. */
  lend(name: string): void {
    if (!this.folder.disk.has(name) && !this.#owned.includes(name)) this.#loans.add(name);
  }

  /** Writes a room, and tells the broker. Rejects as `PageFiles.spill`, and with OverDiskBudget. */
  async write(what: WhatIsWritten): Promise<PageFile> {
    const { activity, mind, name, from, transcript, own, deadlineMs, progress } = what;
    const { bytes } = from;
    const { folder } = this;
    const written = folder.busy(`writing ${name} to disk`, deadlineMs, (files, signal) =>
      folder.disk.writing(name, bytes + transcript.length, () => {
        const spilled = from.spill(files, { name, transcript }, { deadlineMs, progress, signal });
        return folder.change(name, files, this.owners.writing(name, mind, spilled));
      }),
    );
    const file = await (own ? this.#owning(name, written) : written);
    const lent = this.#loans.has(name);
    const filed = { activity, mind, held: file.cells, bytes, said: crc32(transcript), lent, file };
    tellOfDisk(this.#ctx, this.#args.broker, from.word(filed));
    return file;
  }

  /** It is there for its own sake from now on, also where it was lent; one that was not written is as it was. */
  async #spill(message: Of<'spill'>): Promise<PageFile> {
    const { activity, mind, name, deadlineMs } = message;
    const leftMs = this.#leftOf(`the spill of ${name}`, deadlineMs);
    const what = (): WhatMoves => ({ activity, mind, name, deadlineMs: leftMs() });
    await this.cleared(name, deadlineMs);
    const wasLent = this.#loans.has(name);
    return this.#owning(name, this.#spilled(message, what, wasLent));
  }

  /** What is written under that name is no loan from now on, so that nobody takes it back meanwhile; unless it is not written. */
  async #owning<T>(name: string, written: Promise<T>): Promise<T> {
    const wasLent = this.#loans.end(name);
    this.#owned.push(name);
    try {
      return await written;
    } catch (error) {
      if (wasLent && this.folder.disk.has(name)) this.#loans.add(name);
      throw error;
    } finally {
      this.#owned.splice(this.#owned.indexOf(name), 1);
    }
  }

  /** A page that is wanted in a lane before it is written is gone then, and taken from there again. */
  async #spilled(
    { drop, transcript, name }: Of<'spill'>,
    what: () => WhatMoves,
    wasLent: boolean,
  ): Promise<PageFile> {
    for (let tries = 1; ; tries++) {
      const { page, file } = await this.#inMemory(what);
      if (page === undefined) {
        if (file?.said !== crc32(transcript)) throw new EmptyLane({ name });
        if (wasLent) tellOfDisk(this.#ctx, this.#args.broker, { type: 'kept', name });
        return file.file;
      }
      try {
        return await this.write({
          ...what(),
          from: fromPage(page.page, page.bytes, drop),
          transcript,
          own: true,
          progress: new Progress(),
        });
      } catch (error) {
        if (!(error instanceof NoSuchPage) || tries === MOST_TRIES) throw error;
      }
    }
  }

  /** Its page, out of its lane first if it is there; none if it is on disk alone, or nowhere. */
  async #inMemory(what: () => WhatMoves): Promise<FoundPage> {
    const found = await this.#find(what());
    if (found.page !== undefined) return found;
    try {
      await this.#move({ type: 'page-out', ...what() });
    } catch (error) {
      // It is nowhere, or in a page by now.
      if (!(error instanceof EmptyLane)) throw error;
    }
    return this.#find(what());
  }

  #find({ activity, deadlineMs }: WhatMoves): Promise<FoundPage & { readonly page: PageRecord | undefined }> {
    return this.#ctx.ask(this.#args.broker, { type: 'page', activity }, { deadlineMs });
  }

  /** The mind has the last word: nothing is kept of a room that it does not take over. */
  async #restore({ activity, mind, room, name, genes, deadlineMs }: Of<'restore'>): Promise<Recalled> {
    const { fingerprint } = this.#args;
    const leftMs = this.#leftOf(`the recall of ${name}`, deadlineMs);
    await this.cleared(name, deadlineMs);
    const expected = await hashesOf(genes, this.#ctx, this.#args.residency);
    const { page, charged, transcript, ...file } = await this.folder.busy(
      `reading ${name} from disk`,
      leftMs(),
      (files, signal) => {
        const restored = files.restore(
          { name, fingerprint, genes: expected },
          { deadlineMs: leftMs(), signal },
        );
        return this.folder.change(name, files, restored);
      },
    );
    try {
      const words = { type: 'recall', room, exchanges: decodeTranscript(transcript) };
      if (!(await this.#ctx.ask<boolean>(mind, words, { band: Band.reserved }))) {
        const here = 'that of what was said meanwhile; recall a room before its first turn';
        throw new PageMismatch({ field: 'transcript', page: `that of ${name} on disk`, here });
      }
      this.owners.set(name, mind);
      const said = crc32(transcript);
      const filed = { activity, mind, held: file.cells, bytes: charged, said, lent: false, file };
      this.handed.add(page);
      if (!tellOfDisk(this.#ctx, this.#args.broker, { type: 'recalled', file: filed, page })) {
        throw new EngineLost({ reason: 'the broker is not there' });
      }
      return file;
    } catch (error) {
      this.release(page);
      throw error;
    }
  }

  #list(deadlineMs: number): Promise<PageList> {
    const { folder } = this;
    return folder.waits.during('listing the pages on disk', deadlineMs, (signal) =>
      unlessAborted(
        folder.open().then((files) => files.list()),
        signal,
      ),
    );
  }

  /** What is left of a deadline that began now, in whole milliseconds. Throws DeadlineExceeded when nothing is. */
  #leftOf(what: string, deadlineMs: number): () => number {
    const until = this.#ctx.now + deadlineMs;
    return () => {
      const leftMs = Math.ceil(until - this.#ctx.now);
      if (leftMs <= 0) throw new DeadlineExceeded({ what, deadlineMs });
      return leftMs;
    };
  }
}
