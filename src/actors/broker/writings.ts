/**
 * Pages that are on their way to disk because memory is short. The pager writes them, one after another, and says what became
 * of each; none is asked for twice.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { type Activity, mindOf } from '../activity.js';
import type { PageRecord } from '../engine/protocol.js';
import type { Filed } from './filed.js';

/** A disk that takes longer for what one relief wants is no place for pages: they are dropped. */
const WRITE_MS = 60_000;
/** Longer than the deadline that the pager itself holds. */
const WORD_GRACE_MS = 15_000;

/** To the broker itself: what is to be on disk has taken as long as it may. */
export interface WritingLate {
  readonly type: 'writing-late';
  /** The pages of a relief, or the lane that is on its way. */
  readonly of: 'pages' | 'lane';
}

/** `gone`: something needed the page before it was written. */
export type Written = 'there' | 'gone' | 'refused';

interface Writing {
  readonly record: PageRecord;
  readonly pager: ActorId;
  readonly until: number;
  readonly written: Promise<Written>;
  readonly settle: (written: Written) => void;
}

export class Writings {
  readonly #ctx: Context;
  readonly #files: Filed;
  /** By the numbers of the pages. */
  readonly #writings = new Map<number, Writing>();
  #endWait: () => void = () => {};

  constructor(ctx: Context, files: Filed) {
    this.#ctx = ctx;
    this.#files = files;
  }

  /** Of what is on its way. */
  get bytes(): number {
    let sum = 0;
    for (const { record } of this.#writings.values()) sum += record.bytes;
    return sum;
  }

  has({ page }: PageRecord): boolean {
    return this.#writings.has(page);
  }

  /** Has pages written, in this order. Each answer comes in time, and none rejects. */
  write(records: readonly PageRecord[], pager: ActorId): Promise<Written>[] {
    if (records.length === 0) return [];
    const deadlineMs = WRITE_MS + WORD_GRACE_MS;
    const until = this.#ctx.now + deadlineMs;
    this.#endWait();
    this.#endWait = this.#ctx.wait({ for: pager, reason: 'pages to be on disk', deadlineMs });
    const all = records.map((record) => {
      let settle: Writing['settle'] = () => {};
      const written = new Promise<Written>((resolve) => {
        settle = resolve;
      });
      this.#writings.set(record.page, { record, pager, until, written, settle });
      return written;
    });
    const pages = records.map(({ activity, page, bytes }) => {
      const isFiled = this.#files.of(activity) !== undefined;
      return { activity, mind: mindOf(activity), page, bytes, isFiled };
    });
    const message = { type: 'put-away', pages, deadlineMs: WRITE_MS };
    if (!this.#ctx.tell(pager, message, { band: Band.reserved })) this.lost(pager);
    return all;
  }

  /** Settles when no page of a room is on its way to disk. */
  async still(activity: Activity): Promise<void> {
    const mine = [...this.#writings.values()].filter(({ record }) => record.activity === activity);
    await Promise.all(mine.map(({ written }) => written));
  }

  /** The pager has said what became of a page. */
  over(page: number, error: ErrorEnvelope | undefined): void {
    if (error === undefined) this.#settle(page, 'there');
    else this.#settle(page, error.code === 'NoSuchPage' ? 'gone' : 'refused');
  }

  /** Those of which the pager has said nothing for too long. */
  giveUpLate(): void {
    for (const [page, { until }] of [...this.#writings]) {
      if (until <= this.#ctx.now) this.#settle(page, 'refused');
    }
  }

  /** Somebody is gone or was started again; if it was the pager, it writes nothing any more. */
  lost(one: ActorId): void {
    for (const [page, { pager }] of [...this.#writings]) if (pager === one) this.#settle(page, 'refused');
  }

  #settle(page: number, written: Written): void {
    const writing = this.#writings.get(page);
    this.#writings.delete(page);
    if (this.#writings.size === 0) this.#endWait();
    writing?.settle(written);
  }
}
