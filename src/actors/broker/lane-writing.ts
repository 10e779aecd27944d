/**
 * The lane that is on its way to disk, one at a time: the pager writes it as it is, and says what became of it.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { type Activity, mindOf } from '../activity.js';
import type { IdleLane } from '../engine/lane-window.js';
import type { Filed } from './filed.js';
import type { BrokerToPager, LeavingLane } from './protocol.js';
import type { LaneState } from './queue.js';
import type { WritingLate, Written } from './writings.js';

/** Nothing is granted meanwhile (`relaunch.ts`), and what is not on disk by then is kept in memory. */
const WRITE_MS = 5_000;
/** Longer than the deadline that the pager itself holds. */
const WORD_GRACE_MS = 1_000;
/** Of the disk, which takes the next lane no better than this one. */
const OF_DISK = [
  'DiskFull',
  'DiskFailure',
  'OverDiskBudget',
  'DirectoryInUse',
  'FolderNotOwn',
  'DeadlineExceeded',
];

interface Writing {
  readonly lane: IdleLane;
  readonly pager: ActorId;
  readonly until: number;
  readonly written: Promise<Written>;
  readonly settle: (written: Written) => void;
}

export class LaneWriting {
  readonly #ctx: Pick<Context, 'tell' | 'wait' | 'after' | 'now'>;
  readonly #files: Pick<Filed, 'of'>;
  #writing: Writing | undefined;

  constructor(ctx: Pick<Context, 'tell' | 'wait' | 'after' | 'now'>, files: Pick<Filed, 'of'>) {
    this.#ctx = ctx;
    this.#files = files;
  }

  /** Has what an idle lane holds written, in place of one that is still on its way. Never rejects. */
  write({ lane, activity = '', grant, held, bytes }: LaneState, pager: ActorId): Promise<Written> {
    this.#settle('refused');
    const ctx = this.#ctx;
    const idle: IdleLane = { activity, lane, grant, held };
    const deadlineMs = WRITE_MS + WORD_GRACE_MS;
    const until = ctx.now + deadlineMs;
    const endWait = ctx.wait({ for: pager, reason: 'a lane to be on disk', deadlineMs });
    const takeBack = ctx.after(deadlineMs, { type: 'writing-late', of: 'lane' } satisfies WritingLate);
    let settle: Writing['settle'] = () => {};
    const written = new Promise<Written>((resolve) => {
      settle = (how) => {
        endWait();
        takeBack();
        resolve(how);
      };
    });
    this.#writing = { lane: idle, pager, until, written, settle };
    const isFiled = this.#files.of(activity) !== undefined;
    const leaving: LeavingLane = { activity, mind: mindOf(activity), bytes, isFiled, lane: idle };
    const message: BrokerToPager = { type: 'put-lane-away', leaving, deadlineMs: WRITE_MS };
    if (!ctx.tell(pager, { ...message }, { band: Band.reserved })) this.#settle('refused');
    return written;
  }

  /** Settles when it is not a room's lane that is on its way to disk. */
  async still(activity: Activity): Promise<void> {
    if (this.#writing?.lane.activity === activity) await this.#writing.written;
  }

  /** The pager has said what became of a lane. */
  over({ lane, grant }: IdleLane, error: ErrorEnvelope | undefined): void {
    const { lane: writing } = this.#writing ?? {};
    if (writing?.lane !== lane || writing.grant !== grant) return;
    if (error === undefined) this.#settle('there');
    else this.#settle(OF_DISK.includes(error.code) ? 'refused' : 'gone');
  }

  /** The pager has said nothing for too long. */
  giveUpLate(): void {
    if (this.#writing !== undefined && this.#writing.until <= this.#ctx.now) this.#settle('refused');
  }

  /** The engine is gone, or made its context anew: no lane is as it was. */
  closed(): void {
    this.#settle('gone');
  }

  /** Somebody is gone or was started again; if it was the pager, it writes nothing any more. */
  lost(one: ActorId): void {
    if (this.#writing?.pager === one) this.#settle('refused');
  }

  #settle(how: Written): void {
    const writing = this.#writing;
    this.#writing = undefined;
    writing?.settle(how);
  }
}
