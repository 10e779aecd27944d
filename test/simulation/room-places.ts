/**
 * Looks at where rooms are after each step: none is both in a lane and in a page.
 */
import type { Activity } from '../../src/actors/activity.js';
import type { PageRecord } from '../../src/actors/engine/protocol.js';
import type { Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import type { FakeContext } from './fake-context.js';
import type { Listener } from './listening.js';

type Said = Message & {
  readonly lane: number;
  readonly activity: Activity | undefined;
  readonly record: PageRecord;
  readonly page: number;
  readonly claims: readonly { readonly lane: number }[];
};

export class RoomPlaces implements Listener {
  readonly #broken: (property: string, what: string) => void;
  readonly #context: () => FakeContext | undefined;
  /** Whose room each idle lane holds. */
  readonly #lanes = new Map<number, Activity>();
  readonly #pages = new Map<Activity, number>();

  constructor(broken: (property: string, what: string) => void, context: () => FakeContext | undefined) {
    this.#broken = broken;
    this.#context = context;
  }

  started(name: string): void {
    if (name !== 'engine') return;
    this.#lanes.clear();
    this.#pages.clear();
  }

  told({ name }: Context, _to: ActorId, message: Message): void {
    if (name !== 'engine') return;
    const { lane, activity, record, page } = message as Said;
    if (message.type === 'paged') this.#pages.set(record.activity, record.page);
    if (activity === undefined) return;
    if (message.type === 'unpaged' && this.#pages.get(activity) === page) this.#pages.delete(activity);
    if (message.type === 'ran') this.#lanes.set(lane, activity);
  }

  heard({ name }: Context, message: Message): void {
    if (name !== 'engine') return;
    const { type, lane, claims } = message as Said;
    if (['run', 'page-in', 'page-out'].includes(type)) this.#lanes.delete(lane);
    // A run that came before this has the lane from now on.
    if (type === 'vacate') for (const claim of claims) this.#lanes.delete(claim.lane);
  }

  /** After each step. */
  look(): void {
    const context = this.#context();
    if (context === undefined) return;
    const twice = context.inTwoPlaces();
    if (twice !== undefined) this.#twice(twice);
    for (const [lane, activity] of this.#lanes) {
      const page = this.#pages.get(activity);
      if (page === undefined || lane >= context.lanes || context.length(lane) === 0) continue;
      this.#twice(`${activity} is in lane ${lane} and in page ${page}`);
    }
  }

  #twice(what: string): void {
    this.#broken('no page is both in a lane and in the store', what);
  }
}
