/**
 * Pages as what gives memory back (B4): the oldest, but those of rooms with a turn that waits or runs. One that is on disk as it
 * is goes at once, the others when the pager has written them, and where disk cannot take them without that.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { PageRecord } from '../engine/protocol.js';
import { oldest } from './page-table.js';
import type { Pool } from './pools.js';
import type { Given, Giver } from './relief.js';
import type { WritingLate, Written } from './writings.js';

export interface PageGiverOf {
  readonly ctx: Pick<Context, 'after'>;
  /** How long it may take to answer. */
  readonly deadlineMs: number;
  isIn(pool: Pool): boolean;
  /** The oldest first. */
  pages(): readonly PageRecord[];
  isWanted(activity: Activity): boolean;
  /** Whether it is on disk as it is. */
  isFiled(record: PageRecord): boolean;
  readonly writings: {
    readonly bytes: number;
    giveUpLate(): void;
    has(record: PageRecord): boolean;
    write(records: readonly PageRecord[], pager: ActorId): Promise<Written>[];
  };
  /** Undefined: there is none. */
  pager(): ActorId | undefined;
  /** Has memory let go of those that are there still and that nothing is about to need; answers how many bytes that gave back. */
  drop(records: readonly PageRecord[]): Promise<number>;
}

export class PageGiver implements Giver {
  readonly name = 'pages';
  readonly #of: PageGiverOf;
  /** Pages that are going: each settles when its bytes are free, or will not be. */
  readonly #going = new Set<Promise<void>>();
  #freedBytes = 0;
  #late: () => void = () => {};

  constructor(of: PageGiverOf) {
    this.#of = of;
  }

  isIn(pool: Pool): boolean {
    return this.#of.isIn(pool);
  }

  /** What is still being written at the deadline goes when it is there. */
  async ask(bytes: number): Promise<Given> {
    const { pages, isWanted, isFiled, writings, drop } = this.#of;
    writings.giveUpLate();
    const stays = (record: PageRecord): boolean => isWanted(record.activity) || writings.has(record);
    const leaving = oldest(pages(), bytes - writings.bytes, stays);
    const before = this.#freedBytes;
    const there = leaving.filter(isFiled);
    this.#putAway(leaving.filter((record) => !there.includes(record)));
    if (there.length > 0) this.#goes(drop(there));
    await this.#inTime(Promise.all(this.#going));
    return givenOf(bytes, this.#freedBytes - before, writings.bytes);
  }

  /** A relief has taken as long as it may. */
  late(): void {
    this.#late();
  }

  #putAway(records: readonly PageRecord[]): void {
    const { pager, writings, drop } = this.#of;
    const to = pager();
    if (records.length === 0) return;
    if (to === undefined) return this.#goes(drop(records));
    for (const [at, written] of writings.write(records, to).entries()) {
      this.#goes(written.then((how) => (how === 'gone' ? 0 : drop(records.slice(at, at + 1)))));
    }
  }

  #goes(freed: Promise<number>): void {
    const going = freed
      .then((bytes) => {
        this.#freedBytes += bytes;
      })
      .finally(() => this.#going.delete(going));
    this.#going.add(going);
    // Who waits for it by then hears of it.
    going.catch(() => {});
  }

  async #inTime(done: Promise<unknown>): Promise<void> {
    const { ctx, deadlineMs } = this.#of;
    const takeBack = ctx.after(deadlineMs, { type: 'writing-late', of: 'pages' } satisfies WritingLate);
    const late = new Promise<void>((resolve) => {
      this.#late = resolve;
    });
    await Promise.race([done, late]).finally(takeBack);
  }
}

/** The answer to who wanted so many bytes: so many came free, and so many more are on their way. */
export function givenOf(wantedBytes: number, freedBytes: number, comingBytes: number): Given {
  const pendingBytes = Math.min(comingBytes, Math.max(0, wantedBytes - freedBytes));
  if (pendingBytes > 0) return { outcome: 'deferred', bytes: freedBytes, pendingBytes };
  if (freedBytes === 0) return { outcome: 'refused', bytes: 0 };
  return { outcome: freedBytes < wantedBytes ? 'partial' : 'released', bytes: freedBytes };
}
