/**
 * Where each activity is, in a lane or in a page, as the broker knows it: and the words to the engine that move it out.
 */
import { EmptyLane, NoSuchPage, type TroupeError } from '../../errors.js';
import { refuse } from '../../runtime/actor.js';
import {
  type Activity,
  type EngineControl,
  type EngineToBroker,
  type PageRecord,
  type Shape,
  UNMADE,
} from '../engine/protocol.js';
import { LaneTable } from './lane-table.js';
import { makeRoom, oldest, PageTable } from './page-table.js';
import type { BrokerMessage } from './protocol.js';

/** How others have an activity move. */
export type MoveKind = 'page-out' | 'page-in';

/** What the engine says of it. */
type Whereabouts = EngineToBroker & { readonly type: 'paged' | 'unpaged' | 'shrank' };

type PageMessage = Exclude<BrokerMessage, { readonly type: 'relaunch' }>;

export class Occupancy {
  readonly lanes = new LaneTable();
  readonly pages = new PageTable();
  readonly #ceiling: number;
  readonly #tell: (message: EngineControl) => void;
  #epoch = 0;
  #vacated = 0;

  /** `ceiling`: bytes that all pages may take together. */
  constructor(ceiling: number, tell: (message: EngineControl) => void) {
    this.#ceiling = ceiling;
    this.#tell = tell;
  }

  /** Times that this engine was told to vacate lanes or drop pages. */
  get vacated(): number {
    return this.#vacated;
  }

  /** A new engine: empty lanes, and the pages that it has. One that holds more than all its cells could never come in. */
  open(epoch: number, { lanes, cells }: Shape, pages: readonly PageRecord[]): void {
    this.#epoch = epoch;
    this.#vacated = 0;
    this.lanes.open(lanes);
    this.pages.open(pages);
    const tooLarge = pages.filter(({ held }) => held > cells);
    if (tooLarge.length > 0) this.#say([], tooLarge);
  }

  /**
   * Has an idle lane's activity go into a page. The oldest pages go for it if they must, but those of `spared`
   * activities; if it still cannot fit, what the lane holds is lost.
   */
  vacate(number: number, spared: (activity: Activity) => boolean): void {
    const { lane, activity = '', held, bytes } = this.lanes.vacate(number);
    const drop = makeRoom(this.pages.all(), bytes, this.#ceiling, spared);
    this.#say([{ lane, activity, keep: drop !== undefined }], drop ?? []);
    if (drop !== undefined) this.pages.put({ activity, page: UNMADE, held, bytes });
  }

  /** Drops the oldest pages, but those of `spared` activities, so that so many bytes go; answers how many pages did. */
  dropOldest(bytes: number, spared: (activity: Activity) => boolean): number {
    const drop = oldest(this.pages.all(), bytes, spared);
    if (drop.length > 0) this.#say([], drop);
    return drop.length;
  }

  hear(message: Whereabouts): void {
    switch (message.type) {
      case 'paged':
        return this.pages.put(message.record);
      case 'unpaged':
        return this.pages.remove(message);
      case 'shrank':
        return this.lanes.shrink(message.lane, message.activity, message.held);
    }
  }

  /** Asked of the broker from outside. `wanted`: something that waits or runs may be about to need the page. */
  answer(message: PageMessage, wanted: { isWanted(activity: Activity): boolean }): unknown {
    switch (message.type) {
      case 'pages':
        return this.pages.all();
      case 'adopt-page':
        this.pages.put(message.record);
        return this.#tell({ type: 'adopt', record: message.record });
      case 'drop-page': {
        const { activity, page } = message;
        const record = this.pages.of(activity);
        const isIt = record !== undefined && (page ?? record.page) === record.page;
        if (!isIt || wanted.isWanted(activity)) return refuse(new NoSuchPage({ name: activity }));
        return this.#say([], [record]);
      }
    }
  }

  /** Frees the pages of all activities whose names begin so: their mind is gone. */
  forget(prefix: string): void {
    const gone = this.pages.all().filter(({ activity }) => activity.startsWith(prefix));
    if (gone.length > 0) this.#say([], gone);
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
