/**
 * What the engine says to others, and what it hands over of its pages: they are there for the engine after it.
 */

import type { EvictedCheckpoint } from '../../native/pages.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { Activity } from '../activity.js';
import type { LeaseNews } from '../broker/lease-news.js';
import type { CheckpointListener } from './checkpoints.js';
import type { SharingListener } from './kv.js';
import type { Lane } from './lane.js';
import type { PageListener } from './pages.js';
import {
  type EngineArgs,
  type EngineControl,
  type EngineToBroker,
  type Moved,
  type PageRecord,
  type RunDone,
  type Shape,
  UNMADE,
  type Work,
} from './protocol.js';
import type { Stretches } from './stretches.js';

/** What the keys of pages in the saved state begin with. */
const PAGE = 'page/';
const SHAPE = 'shape';
/** Before it is said again that the engine is up: a broker that crashed is back by then. */
const UNHEARD_MS = 100;

/** Pages that an engine before this one had. */
export const savedPages = (saved: ReadonlyMap<string, unknown>): PageRecord[] =>
  [...saved].flatMap(([key, record]) => (key.startsWith(PAGE) ? [record as PageRecord] : []));

/** The shape that the context had last. */
export const savedShape = (saved: ReadonlyMap<string, unknown>): Shape | undefined =>
  saved.get(SHAPE) as Shape | undefined;

/** What a run did. */
export interface Effort {
  readonly processed: number;
  readonly produced: number;
}

export const NO_EFFORT: Effort = { processed: 0, produced: 0 };

/** What a lane holds when a grant of it is over: what a page of it would be charged, and what others hold too. */
export interface LaneLeft {
  readonly bytes: number;
  readonly stretches: Stretches;
}

export const NOTHING_LEFT: LaneLeft = { bytes: 0, stretches: [] };

export class EnginePost implements PageListener, CheckpointListener, SharingListener {
  readonly #ctx: Context;
  readonly #args: EngineArgs;
  readonly #news: LeaseNews;

  constructor(ctx: Context, args: EngineArgs, news: LeaseNews) {
    this.#ctx = ctx;
    this.#args = args;
    this.#news = news;
  }

  /**
   * It is up, said until the broker has heard it: a broker that crashes over it knows of no engine that it could ask. A later
   * `up` takes its place. `error`: why the context is not of the shape that it was to have.
   */
  up(epoch: number, shape: Shape, pages: readonly PageRecord[], error?: ErrorEnvelope): void {
    this.#ctx.save(SHAPE, shape);
    // Before it is up: who had the context made anew wants to know what that gave back.
    this.#news.again();
    const up: EngineToBroker = { type: 'up', engine: this.#ctx.self, epoch, shape, pages, error };
    this.#ctx.ask(this.#args.broker, up, { band: Band.reserved }).catch(() => {
      this.#ctx.after(UNHEARD_MS, { type: 'unheard', epoch } satisfies EngineControl);
    });
  }

  done(mind: ActorId, message: RunDone): void {
    this.#ctx.tell(mind, { ...message }, { band: Band.reserved });
  }

  answerMove(to: ActorId, message: Moved): void {
    this.#ctx.tell(to, { ...message }, { band: Band.reserved });
  }

  /** A grant is over. */
  ran(work: Work, lane: Lane | undefined, left: LaneLeft, { processed, produced }: Effort): void {
    const { grant, lane: number } = work;
    const held = lane?.held ?? 0;
    const activity = held > 0 ? lane?.activity : undefined;
    this.#news.changed();
    this.#broker({ type: 'ran', grant, lane: number, activity, held, ...left, processed, produced });
  }

  shared({ grant, number }: Lane, stretches: Stretches): void {
    this.#broker({ type: 'shared', grant, lane: number, stretches });
  }

  shrank(message: EngineToBroker & { readonly type: 'shrank' }): void {
    this.#broker(message);
  }

  neverRan(grant: number): void {
    this.#broker({ type: 'never-ran', grant });
  }

  moved(to: 'page' | 'lane', { activity, held, bytes }: PageRecord): void {
    this.#ctx.probe({ name: 'page.move', activity, to, held, bytes });
  }

  paged(record: PageRecord): void {
    this.#ctx.save(PAGE + record.activity, record);
    this.#news.changed();
    this.#broker({ type: 'paged', record });
  }

  unpaged({ activity, page }: PageRecord): void {
    this.#ctx.save(PAGE + activity, undefined);
    this.#news.changed();
    this.#broker({ type: 'unpaged', activity, page });
  }

  failed(activity: Activity, error: unknown): void {
    this.#ctx.probe({ name: 'page.failed', activity, error: toEnvelope(error) });
    this.#broker({ type: 'unpaged', activity, page: UNMADE });
  }

  resized(): void {
    this.#news.changed();
  }

  evicted({ lane, position, bytes }: EvictedCheckpoint): void {
    this.#ctx.probe({ name: 'checkpoint.evicted', lane, position, bytes });
  }

  skipped(lane: number, checkpoints: number): void {
    this.#ctx.probe({ name: 'checkpoint.skipped', lane, checkpoints });
  }

  unrestored(lane: number, error: unknown): void {
    this.#ctx.probe({ name: 'checkpoint.failed', lane, error: toEnvelope(error) });
  }

  #broker(message: EngineToBroker): void {
    this.#ctx.tell(this.#args.broker, message, { band: Band.reserved });
  }
}
