/**
 * Who waits: what comes in is refused if it can never be granted, and the others are told why they wait, once a reason.
 */
import type { TroupeError } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type Shape, UNMADE } from '../engine/protocol.js';
import type { GeneTable } from './gene-table.js';
import type { HostRoom } from './host-room.js';
import { lackIn } from './lack.js';
import type { Occupancy } from './occupancy.js';
import type { BrokerPost } from './post.js';
import type { MindToBroker } from './protocol.js';
import { admit, type Kept, keeperOf, type QueueState, survey } from './queue.js';
import type { Spilled } from './spilled.js';
import type { Request, TurnBook } from './turn-book.js';

/** Where more than so many wait, all of them are looked at once in `AGAIN_MS` at most: it takes a microsecond each. */
const MANY = 256;
const AGAIN_MS = 1_000;

export interface WaitingOf {
  readonly ctx: Context;
  readonly post: BrokerPost;
  readonly turns: TurnBook;
  readonly occupancy: Occupancy;
  readonly genes: GeneTable;
  readonly spilled: Spilled;
}

export class Waiting {
  readonly #of: WaitingOf;
  #isChanged = false;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(of: WaitingOf) {
    this.#of = of;
  }

  /** `shape`: of the engine, if one is up. */
  add(message: MindToBroker & { readonly type: 'request' }, mind: ActorId, shape: Shape | undefined): void {
    const { ctx, turns } = this.#of;
    // Its first word may have been lost.
    if (!turns.knows(mind)) this.meet(mind);
    this.#admit(turns.add(message, mind, ctx.now), shape);
  }

  /** Its end is to be heard of, and it is to hear of the start of another broker. */
  meet(mind: ActorId): void {
    const { ctx } = this.#of;
    ctx.watch(mind);
    ctx.save(`mind/${mind}`, mind);
  }

  /** There is another engine, or there are other genes: refuses those that can no longer be granted. */
  admitAll(shape: Shape | undefined): void {
    for (const request of this.#of.turns.requests()) this.#admit(request, shape);
  }

  /** Has rooms read that are on disk alone; and refuses moves that have come to their turn and have nothing to move. */
  fetch({ cells }: Shape): void {
    const { turns, spilled } = this.#of;
    spilled.readings.fetch(cells);
    for (const request of turns.queue) {
      if (request.move !== undefined) this.#refuse(request, spilled.immovable(request, request.move));
    }
  }

  /** What decides who is next. */
  state({ cells }: Shape): QueueState<Request> {
    const { ctx, occupancy, genes, spilled } = this.#of;
    return {
      waiting: spilled.readings.others,
      lanes: occupancy.lanes.all,
      cells,
      paged: (activity) => occupancy.pages.of(activity)?.held ?? 0,
      genes: genes.room(),
      host: this.#host(),
      now: ctx.now,
    };
  }

  /** Pages are looked at one by one only where there is not room for all and for another of each lane. */
  #host(): HostRoom {
    const { turns, occupancy, spilled } = this.#of;
    const { ceiling, cellBytes, pages, lanes } = occupancy;
    const wanted = lanes.all.reduce((sum, { reserved }) => sum + reserved * cellBytes, 0);
    if (cellBytes === 0 || pages.bytes + wanted + ceiling / lanes.all.length <= ceiling) {
      return { ceiling, cellBytes, moving: [], waiting: [] };
    }
    const all = pages.all();
    // There are fewer pages than turns that wait.
    const waiting = all.flatMap(({ activity, page, bytes }) => {
      const of = page === UNMADE ? undefined : turns.waitingOf(activity);
      return of === undefined || spilled.readings.waitsFor(of) !== undefined ? [] : [{ of, bytes }];
    });
    const moving = all.filter(({ page }) => page === UNMADE);
    return { ceiling, cellBytes, waiting, moving: moving.map((of) => ({ of, bytes: of.bytes })) };
  }

  /** Something has changed but that some came to wait: those who do may do so for other reasons than they were told. */
  change(): void {
    this.#isChanged = true;
  }

  /**
   * Tells those who go on waiting why, once a reason: of an engine with this shape, or, if there is none, that it is being
   * started again.
   */
  sayWhy(shape: Shape | undefined): void {
    const { ctx, turns } = this.#of;
    const fresh = turns.takeFresh();
    const isDue = turns.waiting.size <= MANY || ctx.now - this.#saidAt >= AGAIN_MS;
    if (!this.#isChanged || !isDue) return this.#say(fresh, shape);
    this.#isChanged = false;
    this.#saidAt = ctx.now;
    this.#say(turns.queue, shape);
  }

  #say(requests: Iterable<Request>, shape: Shape | undefined): void {
    const { post, spilled } = this.#of;
    if (shape === undefined) {
      for (const request of requests) post.queued(request, 'relaunching');
      return;
    }
    const state = this.state(shape);
    const lack = lackIn(state);
    let kept: Kept<Request> | undefined;
    const keeper = (request: Request) => {
      kept ??= survey(state, lack).kept;
      return keeperOf(request, kept, state);
    };
    for (const request of requests) {
      const pager = spilled.readings.waitsFor(request);
      if (pager !== undefined) post.queued(request, 'disk', pager);
      else post.queued(request, lack(request) ?? keeper(request) ?? 'lane');
    }
  }

  #admit(request: Request, shape: Shape | undefined): void {
    const { genes } = this.#of;
    const tooLarge = shape && admit(request.cells, shape.cells);
    this.#refuse(request, tooLarge ?? genes.refusal(request.phenotype));
    request.genes = genes.numbers(request.phenotype);
  }

  /** It waits no longer, if there is a reason. */
  #refuse(request: Request, error: TroupeError | undefined): void {
    if (error === undefined) return;
    this.#of.turns.drop(request.grant);
    this.#of.post.refused(request, error);
  }
}
