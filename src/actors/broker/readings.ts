/**
 * Rooms that are being read from disk because a turn waits for them. A request goes on when its page is there, or cannot be:
 * then its run begins anew, and says why.
 */
import { ContextFull, EngineLost, type TroupeError } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { Activity } from '../activity.js';
import { type PageRecord, UNMADE } from '../engine/protocol.js';
import type { Filed, FiledBy } from './filed.js';
import { nextRead } from './next-read.js';
import type { Occupancy } from './occupancy.js';
import type { DiskRead, FiledPage } from './protocol.js';
import type { Request, TurnBook } from './turn-book.js';

/** Numbers of a broker that was started again begin above those of before. */
const READS_A_START = 2 ** 20;

interface Reading extends FiledBy {
  readonly number: number;
  /** For whom it began. */
  readonly request: Request;
  /** Pages that make room for it and have not gone yet. */
  readonly leaving: Set<number>;
}

export class Readings {
  /** Those who wait for something else than the disk, to be gone through again and again. */
  readonly others: Iterable<Request> = { [Symbol.iterator]: () => this.#others() };
  readonly #ctx: Context;
  readonly #files: Filed;
  readonly #occupancy: Occupancy;
  readonly #turns: TurnBook;
  readonly #readings = new Map<Activity, Reading>();
  #last: number;

  constructor(ctx: Context, files: Filed, occupancy: Occupancy, turns: TurnBook) {
    this.#ctx = ctx;
    this.#files = files;
    this.#occupancy = occupancy;
    this.#turns = turns;
    this.#last = ctx.incarnation * READS_A_START;
  }

  has(activity: Activity): boolean {
    return this.#readings.has(activity);
  }

  /** Has rooms read that something waits for; `cells` are those of the context. */
  fetch(cells: number): void {
    if (this.#files.size === 0) return;
    for (;;) {
      const next = nextRead(this.#wanting(), this.#busy(), this.#ctx.now);
      if (next === undefined) break;
      this.#begin(next, cells);
    }
  }

  /** Who reads what a request waits for; undefined: it does not wait for the disk. */
  waitsFor(request: Request): ActorId | undefined {
    const { activity } = request;
    const reading = this.#readings.get(activity);
    return reading?.pager ?? (this.#wants(request) ? this.#files.of(activity)?.pager : undefined);
  }

  /** The pager has read this for this reading. False: nothing waits for it. */
  came(number: number, record: PageRecord, ms: number): boolean {
    const reading = this.#readings.get(record.activity);
    if (reading?.number !== number) return false;
    this.#occupancy.adopt(record);
    this.#over(reading, { bytes: record.bytes, ms, error: undefined });
    return true;
  }

  /** The pager cannot read it. */
  failed(activity: Activity, number: number, error: ErrorEnvelope): void {
    const reading = this.#readings.get(activity);
    if (reading?.number === number) this.#over(reading, { bytes: 0, ms: 0, error });
  }

  /** A page has gone: maybe to make room. */
  left(page: number): void {
    for (const reading of [...this.#readings.values()]) this.#left(reading, page);
  }

  /**
   * There is a new engine; what pages it has the occupancy knows. A room that was to be read may be among them: its page was
   * dropped, and the word of that was lost with the engine before.
   */
  opened(): void {
    const { pages } = this.#occupancy;
    this.stop((activity) => pages.of(activity) !== undefined);
    for (const reading of [...this.#readings.values()]) {
      pages.put(comingOf(reading.file));
      for (const page of [...reading.leaving]) this.#left(reading, page);
    }
  }

  /** Rooms are not needed any more. */
  stop(isOne: (activity: Activity) => boolean): void {
    for (const [activity, { pager, number }] of [...this.#readings]) {
      if (!isOne(activity)) continue;
      this.#readings.delete(activity);
      this.#ctx.tell(pager, { type: 'stop-reading', read: number }, { band: Band.reserved });
    }
  }

  /** Somebody is gone or was started again; if it was the pager, it reads nothing any more. */
  lost(one: ActorId): void {
    const error = toEnvelope(
      new EngineLost({ reason: 'the pager, which read its page from disk, was lost' }),
    );
    for (const reading of [...this.#readings.values()]) {
      if (reading.pager === one) this.#over(reading, { bytes: 0, ms: 0, error });
    }
  }

  #others(): Iterator<Request> {
    const { queue } = this.#turns;
    // Nothing is on disk, and thousands may wait.
    if (this.#files.size === 0 && this.#readings.size === 0) return queue[Symbol.iterator]();
    return this.#besideTheDisk();
  }

  *#besideTheDisk(): IterableIterator<Request> {
    for (const request of this.#turns.queue) if (this.waitsFor(request) === undefined) yield request;
  }

  /** Whether its room is on disk and nowhere else, and would be of use. */
  #wants(request: Request): boolean {
    const { activity, move } = request;
    if (this.#files.of(activity) === undefined || move === 'page-out') return false;
    return request.read === undefined && !this.#occupancy.has(activity);
  }

  *#wanting(): IterableIterator<Request> {
    for (const request of this.#turns.queue) if (this.#wants(request)) yield request;
  }

  #busy(): Request[] {
    const read = [...this.#turns.queue].filter(({ read }) => read !== undefined && read.bytes > 0);
    return [...read, ...[...this.#readings.values()].map(({ request }) => request)];
  }

  /** Has a reading under way, or has said why not. */
  #begin(request: Request, cells: number): void {
    const filed = this.#files.of(request.activity) as FiledBy;
    const coming = comingOf(filed.file);
    if (coming.held > cells) {
      const size = { needTokens: coming.held, roomTokens: cells, contextTokens: cells };
      return this.#refuse(request, new ContextFull(size));
    }
    const room = this.#occupancy.reserve(coming, (other) => this.#turns.isWanted(other));
    if (!Array.isArray(room)) return this.#refuse(request, room);
    const leaving = new Set(room.map(({ page }) => page));
    const reading: Reading = { ...filed, number: ++this.#last, request, leaving };
    this.#readings.set(request.activity, reading);
    if (leaving.size === 0) this.#read(reading);
  }

  #refuse(request: Request, error: TroupeError): void {
    request.read = { bytes: 0, ms: 0, error: toEnvelope(error) };
  }

  #left(reading: Reading, page: number): void {
    if (reading.leaving.delete(page) && reading.leaving.size === 0) this.#read(reading);
  }

  #read({ number: read, file, pager }: Reading): void {
    if (!this.#ctx.tell(pager, { type: 'read', read, file }, { band: Band.reserved })) this.lost(pager);
  }

  /** Who waits for it goes on. */
  #over({ file: { activity } }: Reading, read: DiskRead): void {
    this.#readings.delete(activity);
    if (read.error !== undefined) this.#occupancy.pages.remove({ activity, page: UNMADE });
    for (const request of this.#turns.queue) if (request.activity === activity) request.read = read;
  }
}

/** Stands for a page that is to come. */
const comingOf = ({ activity, held, bytes }: FiledPage): PageRecord => ({
  activity,
  page: UNMADE,
  held,
  bytes,
});
