/**
 * Where each activity is, in a lane or in a page, as the broker knows it: and the words to the engine that move it out.
 */
import { EmptyLane, NoSuchPage, OverCeiling, type TroupeError } from '../../errors.js';
import { type Context, refuse } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type Activity, belongsTo, mindOf } from '../activity.js';
import type { IdleLane } from '../engine/lane-window.js';
import {
  type EngineControl,
  type EngineToBroker,
  type PageRecord,
  type Shape,
  UNMADE,
} from '../engine/protocol.js';
import { Adopted } from './adopted.js';
import { LaneTable } from './lane-table.js';
import { makeRoom, PageTable } from './page-table.js';
import type { BrokerMessage } from './protocol.js';

/** How others have an activity move. */
export type MoveKind = 'page-out' | 'page-in';

/** What is known of the turns of rooms that have pages. */
export interface PageTurns {
  /** Whether any waits or has a lane. */
  isWanted(activity: Activity): boolean;
  /** Of these pages those whose turns wait and go after the one of an activity, the last first. */
  after(activity: Activity, pages: readonly PageRecord[]): PageRecord[];
}

/** What the engine says of it. */
type Whereabouts = EngineToBroker & { readonly type: 'paged' | 'unpaged' | 'shrank' | 'shared' };

/** Minds that are gone and not forgotten: what was said of their pages before they went is here long before so many more go. */
const MOST_GONE = 1_024;
/** Rooms that were forgotten: of so many at once an engine that was lost meanwhile may have a page. */
const MOST_FORGOTTEN = 1_024;

type PageMessage = BrokerMessage & { readonly type: 'pages' | 'drop-page' };

export class Occupancy {
  readonly lanes = new LaneTable();
  readonly pages: PageTable;
  readonly #ceiling: number;
  readonly #tell: (message: EngineControl) => void;
  readonly #adopted = new Adopted();
  /** Minds that are gone. */
  readonly #gone = new Set<ActorId>();
  /** Rooms that were forgotten, and have had no turn since. */
  readonly #forgotten = new Set<Activity>();
  /** The page of most tokens, or what would be one, of which the engine has told. */
  #longest = { held: 0, bytes: 0 };
  #epoch = 0;
  #vacated = 0;

  /** `ceiling`: bytes that all pages may take together. */
  constructor(ceiling: number, clock: Pick<Context, 'now'>, tell: (message: EngineControl) => void) {
    this.pages = new PageTable(() => clock.now);
    this.#ceiling = ceiling;
    this.#tell = tell;
  }

  /** Times that this engine was told to vacate lanes, to drop pages, or to take one over. */
  get vacated(): number {
    return this.#vacated;
  }

  /**
   * A new engine: empty lanes, and the pages that it has. One that holds more than all its cells could never come in, and one
   * whose mind went, or whose room was forgotten, while there was no engine is nobody's.
   */
  open(epoch: number, { lanes, cells }: Shape, pages: readonly PageRecord[]): void {
    this.#epoch = epoch;
    this.#vacated = 0;
    this.lanes.open(lanes);
    this.pages.open(pages);
    for (const page of pages) this.measure(page);
    for (const record of this.#adopted.unknownTo(pages)) this.adopt(record);
    const all = this.pages.all();
    const useless = all.filter(({ held, activity }) => held > cells || this.isUseless(activity));
    if (useless.length > 0) this.#say([], useless);
  }

  /**
   * Has an idle lane's activity go into a page. The oldest pages go for it if they must, but those of activities that turns wait
   * for or have; then those whose turns go after its own. If it still cannot fit, or its mind is gone, what the lane holds is
   * lost.
   */
  vacate(number: number, turns: PageTurns): void {
    const { lane, activity = '', held, bytes } = this.lanes.vacate(number);
    const drop = this.isUseless(activity)
      ? undefined
      : makeRoom(
          this.pages.all(),
          bytes,
          this.#ceiling,
          (other) => turns.isWanted(other),
          turns.after(activity, this.pages.all()),
        );
    this.#say([{ lane, activity, keep: drop !== undefined }], drop ?? []);
    if (drop !== undefined) this.pages.put({ activity, page: UNMADE, held, bytes });
  }

  /** What an idle lane holds is on disk: it is emptied, if it still is as it was. */
  leave({ lane, activity, grant, held }: IdleLane): void {
    const idle = this.lanes.idle(activity);
    if (idle?.lane !== lane || idle.grant !== grant || idle.held !== held) return;
    this.lanes.vacate(lane);
    this.#say([{ lane, activity, keep: false }], []);
  }

  hear(message: Whereabouts): void {
    switch (message.type) {
      case 'paged':
        this.#adopted.told(message.record.page);
        this.measure(message.record);
        this.pages.put(message.record);
        // It was being made when its mind went, or an engine that was started again has found it.
        if (this.isUseless(message.record.activity)) this.drop(message.record);
        return;
      case 'unpaged':
        this.#adopted.remove(message.page);
        return this.pages.remove(message);
      case 'shrank':
        return this.lanes.shrink(message.lane, message.activity, message.held);
      case 'shared':
        return this.lanes.share(message.lane, message.grant, message.stretches);
    }
  }

  /** Asked of the broker from outside. `wanted`: something that waits or runs may be about to need the page. */
  answer(message: PageMessage, wanted: { isWanted(activity: Activity): boolean }): unknown {
    switch (message.type) {
      case 'pages':
        return this.pages.all();
      case 'drop-page': {
        const { activity } = message;
        const record = this.pages.of(activity);
        if (record !== undefined && !wanted.isWanted(activity)) return this.drop(record);
        return refuse(new NoSuchPage({ name: activity }));
      }
    }
  }

  /** What a lane holds, or a page, and what it takes as a page. */
  measure({ held, bytes }: Pick<PageRecord, 'held' | 'bytes'>): void {
    if (held >= this.#longest.held) this.#longest = { held, bytes };
  }

  /** Bytes that a page takes for each of its tokens; 0: that is not known yet. */
  get cellBytes(): number {
    const { held, bytes } = this.#longest;
    return held === 0 ? 0 : bytes / held;
  }

  /** Bytes that all pages may take together. */
  get ceiling(): number {
    return this.#ceiling;
  }

  /** Whether an idle lane or memory has it, or soon will. */
  has(activity: Activity): boolean {
    return this.lanes.idle(activity) !== undefined || this.pages.of(activity) !== undefined;
  }

  /**
   * Keeps room for a page that is to come from elsewhere: the oldest pages go for it if they must, but those of `spared`
   * activities. Answers which, or why it cannot come.
   */
  reserve(record: PageRecord, spared: (activity: Activity) => boolean): PageRecord[] | TroupeError {
    const drop = makeRoom(this.pages.all(), record.bytes, this.#ceiling, spared);
    if (drop === undefined) {
      const usedBytes = this.pages.all().reduce((sum, { bytes }) => sum + bytes, 0);
      return new OverCeiling({ needBytes: record.bytes, usedBytes, ceilingBytes: this.#ceiling });
    }
    if (drop.length > 0) this.#say([], drop);
    this.pages.put(record);
    return drop;
  }

  /** A page that came from elsewhere is its activity's. */
  adopt(record: PageRecord): void {
    this.#forgotten.delete(record.activity);
    this.#adopted.add(record);
    this.pages.put(record);
    this.#vacated++;
    this.#tell({ type: 'adopt', epoch: this.#epoch, record });
  }

  /** Who has a page: the `broker` alone, as long as the engine has not said that it has taken it over. */
  whoHas(number: number): 'broker' | 'engine' | undefined {
    const one = this.pages.all().some(({ page }) => page === number) ? 'engine' : undefined;
    return this.#adopted.whoHas(number) ?? one;
  }

  drop(record: PageRecord): void {
    this.#say([], [record]);
  }

  /** Frees the pages of a mind's rooms: it is gone. */
  forget(mind: ActorId): void {
    keepNewest(this.#gone, mind, MOST_GONE);
    const gone = this.pages.all().filter(({ activity }) => belongsTo(activity, mind));
    if (gone.length > 0) this.#say([], gone);
  }

  /** What an idle lane holds of a room, and its page, go. */
  forgetRoom(activity: Activity): void {
    keepNewest(this.#forgotten, activity, MOST_FORGOTTEN);
    this.#adopted.forget(activity);
    const lane = this.lanes.idle(activity)?.lane;
    const page = this.pages.of(activity);
    if (lane === undefined && page === undefined) return;
    if (lane !== undefined) this.lanes.vacate(lane);
    this.#say(lane === undefined ? [] : [{ lane, activity, keep: false }], page === undefined ? [] : [page]);
  }

  /** Nobody will go on from what is kept of it: its mind is gone, or it was forgotten. */
  isUseless(activity: Activity): boolean {
    return this.#gone.has(mindOf(activity)) || this.#forgotten.has(activity);
  }

  /** A turn of a room has a lane: a page of it is its own from now on. */
  begins(activity: Activity): void {
    this.#forgotten.delete(activity);
  }

  /** Why an activity cannot move; undefined when it can. It has no grant. */
  immovable(activity: Activity, move: MoveKind): TroupeError | undefined {
    if (this.lanes.idle(activity) !== undefined) return undefined;
    if (move === 'page-out') return new EmptyLane({ name: activity });
    return this.pages.of(activity) === undefined ? new NoSuchPage({ name: activity }) : undefined;
  }

  #say(claims: (EngineControl & { type: 'vacate' })['claims'], drop: readonly PageRecord[]): void {
    this.#vacated++;
    for (const record of drop) this.pages.remove(record);
    this.#tell({ type: 'vacate', epoch: this.#epoch, claims, drop });
  }
}

function keepNewest<T>(all: Set<T>, one: T, most: number): void {
  all.delete(one);
  all.add(one);
  if (all.size > most) all.delete(all.values().next().value as T);
}
