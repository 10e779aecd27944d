/**
 * Rooms that are on disk, and come back from there: what the broker says of them to others, and hears from the pager, which
 * writes the files and reads them. The broker owns where each room is, so this too.
 */
import { fromEnvelope, type TroupeError } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import { type Activity, belongsTo } from '../activity.js';
import { type EngineToBroker, type PageRecord, UNMADE } from '../engine/protocol.js';
import { Filed, type FiledBy } from './filed.js';
import { HandedPages } from './handed.js';
import { LaneWriting } from './lane-writing.js';
import type { MoveKind, Occupancy } from './occupancy.js';
import { PageQuestions } from './page-questions.js';
import { placesOf } from './places.js';
import type { BrokerMessage, BrokerToPager, DiskWord, FoundPage, PagerToBroker, Rooms } from './protocol.js';
import { Readings } from './readings.js';
import type { Request, TurnBook } from './turn-book.js';
import { Writings } from './writings.js';

/** After these a file is no use to anybody. */
const SPOILT = ['NoSuchPage', 'PageCorrupt', 'PageMismatch'];

type EngineWords = EngineToBroker & { readonly type: 'paged' | 'unpaged' | 'shrank' | 'shared' };
type Ran = EngineToBroker & { readonly type: 'ran' };

export class Spilled {
  readonly readings: Readings;
  readonly writings: Writings;
  readonly laneWriting: LaneWriting;
  readonly #ctx: Context;
  readonly #occupancy: Occupancy;
  readonly #turns: TurnBook;
  readonly #files: Filed;
  readonly #questions = new PageQuestions();
  readonly #handed: HandedPages;

  /** `saved`: of a broker before this one. */
  constructor(ctx: Context, saved: ReadonlyMap<string, unknown>, occupancy: Occupancy, turns: TurnBook) {
    this.#ctx = ctx;
    this.#occupancy = occupancy;
    this.#turns = turns;
    this.#files = new Filed(ctx, saved);
    this.#handed = new HandedPages(ctx, occupancy);
    this.readings = new Readings(ctx, this.#files, occupancy, turns);
    this.writings = new Writings(ctx, this.#files);
    this.laneWriting = new LaneWriting(ctx, this.#files);
  }

  /** Whether something waits for a page of it, or has it. */
  isWanted(activity: Activity): boolean {
    return this.readings.has(activity) || this.#turns.isWanted(activity);
  }

  /** Whether a page in memory is on disk as it is. */
  isFiled(record: PageRecord): boolean {
    return this.#files.has(record);
  }

  /** Why an activity cannot move; undefined when it can. It has no grant. */
  immovable(request: Request, move: MoveKind): TroupeError | undefined {
    const immovable = this.#occupancy.immovable(request.activity, move);
    const unread = request.read?.error;
    return immovable && unread ? (fromEnvelope(unread) as TroupeError) : immovable;
  }

  /** Asked of the broker from outside. A page that is just being made is answered with later. */
  answer(message: BrokerMessage & { readonly type: 'page' | 'rooms' }): FoundPage | Rooms | undefined {
    if (message.type === 'rooms') return this.#rooms();
    const { activity } = message;
    const found = this.#found(activity);
    if (found.page?.page !== UNMADE) return found;
    this.#questions.ask(activity, this.#ctx.replyLater());
    return undefined;
  }

  /** What engine and pager say of lanes and pages. */
  hear(message: PagerToBroker | EngineWords, sender: ActorId): void {
    if (message.type === 'disk') return this.#hearOfDisk(message.word, sender);
    this.#occupancy.hear(message);
    if (message.type === 'shrank' || message.type === 'shared') return;
    if (message.type === 'paged' && !this.#files.has(message.record)) this.#wentOn(message.record.activity);
    if (message.type === 'unpaged') this.readings.left(message.page);
    this.#handed.settle(message.type === 'paged' ? message.record.page : message.page);
    this.#answer(message.type === 'paged' ? message.record.activity : message.activity);
  }

  /** The engine ran a grant: what a lane holds has gone on since it was lent to disk. */
  ran({ activity }: Ran): void {
    if (activity !== undefined) this.#wentOn(activity);
  }

  #hearOfDisk(message: DiskWord, pager: ActorId): void {
    switch (message.type) {
      case 'filed':
        return this.#filed(message, pager);
      case 'left':
        return this.#left(message, pager);
      case 'lane-over':
        return this.laneWriting.over(message.lane, message.error);
      case 'put-away':
        return this.writings.over(message.page, message.error);
      case 'kept': {
        const filed = this.#files.named(message.name);
        if (filed !== undefined) this.#files.put({ ...filed, file: { ...filed.file, lent: false } });
        return;
      }
      case 'removed': {
        const filed = this.#files.named(message.name);
        if (filed !== undefined) this.#files.remove(filed.file.activity);
        return;
      }
      case 'recalled': {
        const { file, page } = message;
        this.#files.put({ file, pager, page });
        // What is kept of it is of a turn that its mind has lost.
        this.#occupancy.forgetRoom(file.activity);
        this.#occupancy.adopt({ activity: file.activity, page, held: file.held, bytes: file.bytes });
        return this.#handed.take(pager, [page]);
      }
      case 'read': {
        const { read, record, ms } = message;
        if (this.readings.came(read, record, ms)) this.#files.read(record);
        this.#handed.take(pager, [record.page]);
        return this.#answer(record.activity);
      }
      case 'handed':
        return this.#handed.take(pager, message.pages);
      case 'unread': {
        const { activity, read, error } = message;
        if (SPOILT.includes(error.code)) this.#remove(this.#files.of(activity));
        this.readings.failed(activity, read, error);
        return this.#answer(activity);
      }
    }
  }

  /** The engine is gone: pages that it was making will not be, or the next one says that they are there. */
  closed(): void {
    this.laneWriting.closed();
    this.#handed.closed();
    const { pages } = this.#occupancy;
    for (const record of pages.all()) if (record.page === UNMADE) pages.remove(record);
    this.#answerAll();
  }

  /** There is a new engine; what pages it has the occupancy knows. */
  opened(): void {
    this.readings.opened();
    this.#handed.opened();
    this.#answerAll();
  }

  /** Somebody was started again; if it was the pager, it reads and writes nothing any more. */
  lost(one: ActorId): void {
    this.readings.lost(one);
    this.writings.lost(one);
    this.laneWriting.lost(one);
    this.#handed.lost(one);
    // The page that they wait for may have been on its way from disk.
    this.#answerAll();
  }

  /** A mind is gone, and with it what its rooms had here; of their files those stay that are no loans. Or it is a pager. */
  forget(one: ActorId): void {
    this.lost(one);
    this.readings.stop((activity) => belongsTo(activity, one));
    for (const activity of this.#files.all().keys()) {
      if (belongsTo(activity, one)) this.#remove(this.#files.of(activity));
    }
    this.#occupancy.forget(one);
    for (const activity of this.#questions.activities()) {
      if (belongsTo(activity, one)) this.#answer(activity);
    }
  }

  /** False: it has a grant, and what its lane holds is known when that is over. Else the answer comes later. */
  forgetRoom(activity: Activity, pins: { bare(activity: Activity): void }): false | undefined {
    const turn = this.#turns.waitingOf(activity);
    if (turn === undefined && this.#turns.isWanted(activity)) return false;
    // It is of the new room, whatever was read for it.
    if (turn !== undefined) turn.read = undefined;
    const reply = this.#ctx.replyLater();
    this.readings.stop((each) => each === activity);
    this.#files.remove(activity);
    this.#occupancy.forgetRoom(activity);
    pins.bare(activity);
    this.#answer(activity);
    const written = Promise.all([this.writings.still(activity), this.laneWriting.still(activity)]);
    void written.then(() => {
      this.#files.remove(activity);
      reply.resolve(true);
    });
    return undefined;
  }

  #filed({ file, page, drop }: DiskWord & { readonly type: 'filed' }, pager: ActorId): void {
    this.#files.put({ file, pager, page });
    if (drop) this.#drop(file.activity, page);
    this.#wentOnMeanwhile(file.activity, page);
  }

  #left({ file, lane }: DiskWord & { readonly type: 'left' }, pager: ActorId): void {
    this.#files.put({ file, pager, page: undefined });
    this.#occupancy.leave(lane);
    this.#wentOnMeanwhile(file.activity, undefined);
  }

  /** It may have been needed while it was being written. `page`: what was written, if it was a page. */
  #wentOnMeanwhile(activity: Activity, page: number | undefined): void {
    const { lanes, pages } = this.#occupancy;
    const isElsewhere =
      lanes.all.some(({ state, activity: there }) => state !== 'empty' && there === activity) ||
      (pages.of(activity)?.page ?? page) !== page;
    if (isElsewhere || this.#occupancy.isUseless(activity)) this.#wentOn(activity);
  }

  /** A room is ahead of its file: one that was lent is of no use any more. */
  #wentOn(activity: Activity): void {
    const filed = this.#files.of(activity);
    if (filed?.file.lent) this.#remove(filed);
  }

  /** It leaves the book; what was lent leaves the disk too. */
  #remove(filed: FiledBy | undefined): void {
    if (filed === undefined) return;
    const { activity, lent, file } = filed.file;
    this.#files.remove(activity);
    if (lent) this.#tell(filed.pager, { type: 'take-back', name: file.name });
  }

  /** That very page, unless something is about to need it. */
  #drop(activity: Activity, page: number): void {
    const record = this.#occupancy.pages.of(activity);
    if (record?.page === page && !this.isWanted(activity)) this.#occupancy.drop(record);
  }

  #rooms(): Rooms {
    const { lanes, pages, ceiling: ceilingBytes } = this.#occupancy;
    return { places: placesOf(lanes.all, pages, this.#files.all(), this.#ctx.now), ceilingBytes };
  }

  #found(activity: Activity): FoundPage {
    return { page: this.#occupancy.pages.of(activity), file: this.#files.of(activity)?.file };
  }

  #answerAll(): void {
    for (const activity of this.#questions.activities()) this.#answer(activity);
  }

  #answer(activity: Activity): void {
    const found = this.#found(activity);
    if (found.page?.page !== UNMADE) this.#questions.answer(activity, found);
  }

  #tell(pager: ActorId, message: BrokerToPager): void {
    this.#ctx.tell(pager, message, { band: Band.reserved });
  }
}
