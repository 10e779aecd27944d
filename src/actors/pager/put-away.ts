/**
 * Rooms that memory is too short for, written to disk one after another for the broker: pages, and lanes on their way out.
 */
import { Aborted, DeadlineExceeded, PageMismatch } from '../../errors.js';
import { Progress } from '../../pages/progress.js';
import { pageNameOf } from '../../pages/room-names.js';
import type { Context } from '../../runtime/actor.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { roomOf } from '../activity.js';
import type { BrokerToPager, DiskWord, LeavingLane, LeavingPage } from '../broker/protocol.js';
import type { MindTranscript } from '../mind/protocol.js';
import { encodeTranscript } from '../mind/transcript-bytes.js';
import type { Files } from './files.js';
import { isUnsure } from './folder.js';
import type { Loans } from './loans.js';
import { tellOfDisk } from './post.js';
import type { PagerArgs } from './protocol.js';
import { fromLane, fromPage, type Whence } from './writing.js';

/** A mind says what was said in a room from memory; pages behind this one wait. */
const TRANSCRIPT_MS = 2_000;

type Ordered = BrokerToPager & { readonly type: 'put-away' | 'put-lane-away' };
/** One of them. */
interface Leaving {
  readonly room: LeavingPage | LeavingLane;
  readonly from: Whence;
  over(error: ErrorEnvelope | undefined): DiskWord;
}

export class PutAway {
  readonly #ctx: Context;
  readonly #args: PagerArgs;
  readonly #files: Files;
  readonly #loans: Loans;
  /** Settles when all that was ordered so far has been dealt with. */
  #last: Promise<void> = Promise.resolve();
  /** Of what is being written. */
  #progress = new Progress();
  #ended = false;

  constructor(ctx: Context, args: PagerArgs, files: Files, loans: Loans) {
    this.#ctx = ctx;
    this.#args = args;
    this.#files = files;
    this.#loans = loans;
  }

  hear(message: Ordered): void {
    const until = this.#ctx.now + message.deadlineMs;
    this.#last = this.#last.then(() => this.#all(message, until));
  }

  /** Writes nothing more, and takes all back. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#progress.stop();
    await this.#last;
    await this.#files.takeBacks.end();
  }

  async #all(ordered: Ordered, until: number): Promise<void> {
    for (const leaving of this.#leaving(ordered)) {
      const { room, over } = leaving;
      const error = await this.#write(leaving, until, ordered.deadlineMs).catch(toEnvelope);
      if (error !== undefined && error.code !== 'NoSuchPage') {
        this.#ctx.probe({ name: 'page.unwritten', activity: room.activity, error });
      }
      tellOfDisk(this.#ctx, this.#args.broker, over(error));
    }
  }

  #leaving(ordered: Ordered): Leaving[] {
    if (ordered.type === 'put-away') {
      return ordered.pages.map((room) => ({
        room,
        from: fromPage(room.page, room.bytes, false),
        over: (error) => ({ type: 'put-away', page: room.page, error }),
      }));
    }
    const { leaving: room } = ordered;
    const from = fromLane(room, this.#ctx, this.#args.engine);
    return [{ room, from, over: (error) => ({ type: 'lane-over', lane: room.lane, error }) }];
  }

  async #write({ room: leaving, from }: Leaving, until: number, deadlineMs: number): Promise<undefined> {
    const { activity, mind, bytes, isFiled } = leaving;
    const task = `writing the page of ${activity} to disk`;
    const leftMs = (): number => {
      const ms = Math.ceil(until - this.#ctx.now);
      if (ms <= 0) throw new DeadlineExceeded({ what: task, deadlineMs });
      return ms;
    };
    if (this.#ended) throw new Aborted({ what: task });
    leftMs();
    if (this.#files.folder.disk.isNone) this.#files.folder.disk.check(activity, bytes);
    const room = roomOf(activity);
    const { name: called, exchanges } = await this.#ctx.ask<MindTranscript>(
      mind,
      { type: 'transcript', room },
      { band: Band.reserved, deadlineMs: TRANSCRIPT_MS },
    );
    const name = pageNameOf(called, room);
    await this.#files.cleared(name, leftMs());
    this.#lend(name, isFiled);
    const progress = new Progress();
    this.#progress = progress;
    if (this.#ended) progress.stop();
    try {
      const transcript = encodeTranscript(exchanges);
      const what = { activity, mind, name, deadlineMs: leftMs() };
      await this.#files.write({ ...what, from, transcript, own: false, progress });
    } catch (error) {
      // All of it may be on disk even so.
      if (isUnsure(error)) this.#files.takeBacks.add(name);
      else if (!this.#files.folder.disk.has(name)) this.#loans.end(name);
      throw error;
    }
  }

  /** What is there for its own sake stays so, and is replaced only by the room that it is of. */
  #lend(name: string, isFiled: boolean): void {
    if (this.#files.folder.disk.has(name) && !this.#loans.has(name) && !isFiled) {
      const here = 'another, and only its mind or troupe.pages.remove() takes that away';
      throw new PageMismatch({ field: 'transcript', page: `what an earlier ${name} has left on disk`, here });
    }
    this.#files.lend(name);
  }
}
