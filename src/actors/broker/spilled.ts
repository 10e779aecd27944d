/**
 * Rooms that are on disk, and come back from there: what the broker says of them to others, and hears from the pager, which
 * writes the files and reads them. The broker owns where each room is, so this too.
 */
import { fromEnvelope, type TroupeError } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import { type Activity, type EngineToBroker, UNMADE } from '../engine/protocol.js';
import { Filed } from './filed.js';
import type { Ledger, Request } from './ledger.js';
import type { MoveKind, Occupancy } from './occupancy.js';
import { PageQuestions } from './page-questions.js';
import { placesOf } from './places.js';
import type { BrokerMessage, BrokerToPager, DiskWord, FoundPage, PagerToBroker, Rooms } from './protocol.js';
import { Readings } from './readings.js';

/** After these a file is no use to anybody. */
const SPOILT = ['NoSuchPage', 'PageCorrupt', 'PageMismatch'];

type EnginePages = EngineToBroker & { readonly type: 'paged' | 'unpaged' | 'shrank' };

export class Spilled {
  readonly readings: Readings;
  readonly #ctx: Context;
  readonly #occupancy: Occupancy;
  readonly #ledger: Ledger;
  readonly #files: Filed;
  readonly #questions = new PageQuestions();

  /** `saved`: of a broker before this one. */
  constructor(ctx: Context, saved: ReadonlyMap<string, unknown>, occupancy: Occupancy, ledger: Ledger) {
    this.#ctx = ctx;
    this.#occupancy = occupancy;
    this.#ledger = ledger;
    this.#files = new Filed(ctx, saved);
    this.readings = new Readings(ctx, this.#files, occupancy, ledger);
  }

  /** Whether something waits for a page of it, or has it. */
  isWanted(activity: Activity): boolean {
    return this.readings.has(activity) || this.#ledger.isWanted(activity);
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

  /** What engine and pager say of pages. */
  hear(message: PagerToBroker | EnginePages, sender: ActorId): void {
    if (message.type === 'disk') return this.#hearOfDisk(message.word, sender);
    this.#occupancy.hear(message);
    if (message.type === 'shrank') return;
    if (message.type === 'unpaged') this.readings.left(message.page);
    this.#answer(message.type === 'paged' ? message.record.activity : message.activity);
  }

  #hearOfDisk(message: DiskWord, pager: ActorId): void {
    switch (message.type) {
      case 'filed':
        this.#files.put({ file: message.file, pager });
        if (message.drop) this.#drop(message.file.activity, message.page);
        return;
      case 'removed':
        return this.#files.removeNamed(message.name);
      case 'recalled': {
        const { activity, held, bytes } = message.file;
        this.#files.put({ file: message.file, pager });
        this.#occupancy.adopt({ activity, page: message.page, held, bytes });
        return;
      }
      case 'read': {
        const { read, record, ms } = message;
        if (!this.readings.came(read, record, ms)) this.#tell(pager, { type: 'release', page: record.page });
        return this.#answer(record.activity);
      }
      case 'unread': {
        const { activity, read, error } = message;
        if (SPOILT.includes(error.code)) this.#files.remove(activity);
        this.readings.failed(activity, read, error);
        return this.#answer(activity);
      }
    }
  }

  /** There is a new engine; what pages it has the occupancy knows. */
  opened(): void {
    this.readings.opened();
    for (const activity of this.#questions.activities()) this.#answer(activity);
  }

  /** A mind is gone, and with it what its rooms had here; their files stay. Or it is a pager that is gone. */
  forget(one: ActorId): void {
    const prefix = `${one}/`;
    this.readings.lost(one);
    this.readings.stop(prefix);
    this.#files.forget(prefix);
    this.#occupancy.forget(prefix);
    for (const activity of this.#questions.activities()) {
      if (activity.startsWith(prefix)) this.#answer(activity);
    }
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

  #answer(activity: Activity): void {
    const found = this.#found(activity);
    if (found.page?.page !== UNMADE) this.#questions.answer(activity, found);
  }

  #tell(pager: ActorId, message: BrokerToPager): void {
    this.#ctx.tell(pager, message, { band: Band.reserved });
  }
}
