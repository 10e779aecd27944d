/**
 * Who has a lane. What is granted has its lane and cells first and has its genes pinned then; its mind hears of it when
 * all of that is there. Where it cannot be, the lane is given back and the turn waits again.
 */
import { EngineLost, MindLeft } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type ErrorEnvelope, fromEnvelope, toEnvelope } from '../../runtime/errors.js';
import type { Activity } from '../activity.js';
import type { EngineControl, EngineToBroker } from '../engine/protocol.js';
import type { PinnedPhenotype, ResidencyToBroker } from '../residency/protocol.js';
import type { GenePins } from './gene-pins.js';
import { roomsAfter } from './host-room.js';
import type { Occupancy, PageTurns } from './occupancy.js';
import type { BrokerPost } from './post.js';
import type { Placement } from './queue.js';
import type { Readings } from './readings.js';
import { probeReclaim } from './reclaim-probe.js';
import type { Grant, Request, TurnBook } from './turn-book.js';

/**
 * A lane stands still for so long at most while the genes of its turn come: where a disk is slow they go on coming while
 * others have the lane. The turn is tried again when as much time has passed.
 */
const PIN_MS = 5_000;

/** Grants that are over and whose minds may not have heard it yet: more than words of an engine are on their way at a time. */
const MOST_OVER = 1_024;

const NO_GENES: PinnedPhenotype = { genes: [], missed: { genes: 0, bytes: 0 } };

export interface GrantsOf {
  readonly ctx: Context;
  readonly post: BrokerPost;
  readonly turns: TurnBook;
  readonly occupancy: Occupancy;
  readonly pins: GenePins;
  readonly readings: Pick<Readings, 'waitsFor'>;
  readonly tellEngine: (message: EngineControl) => void;
}

type Pinned = ResidencyToBroker & { readonly type: 'pinned' };
type Ran = EngineToBroker & { readonly type: 'ran' };

export class Grants {
  readonly #of: GrantsOf;
  /** The waits for pins, by grant. */
  readonly #pinning = new Map<number, () => void>();
  #epoch = 0;
  /** What the engine ran last. */
  #over: Request[] = [];

  constructor(of: GrantsOf) {
    this.#of = of;
  }

  /** Whether any waits for its pins. */
  get arePinning(): boolean {
    return this.#pinning.size > 0;
  }

  /** What is granted is granted for this start of the engine. */
  open(epoch: number): void {
    this.#epoch = epoch;
  }

  give({ turn: request, lane, vacate, ...taken }: Placement<Request>): void {
    const { ctx, turns, occupancy, pins } = this.#of;
    for (const number of vacate) occupancy.vacate(number, this.#turnsBeside(request));
    occupancy.begins(request.activity);
    occupancy.lanes.take(lane, request, taken, ctx.now);
    const grant = turns.grant(request, lane, ctx.now);
    if (request.genes.length > 0) return this.#pin(grant);
    if (request.move === undefined) pins.bare(request.activity);
    this.#serve(grant, NO_GENES);
  }

  pinned({ grant: number, genes, missed }: Pinned): void {
    const grant = this.#take(number);
    if (grant === undefined) return;
    // What it was to go on from is on disk alone by now: it is read first.
    if (this.#lacksPage(grant)) return this.#putOff(grant, 0);
    this.#of.pins.pinned(number, genes);
    this.#serve(grant, { genes, missed });
  }

  /** Its genes have no room, or do not come: others may have the lane meanwhile. */
  short(number: number): void {
    const grant = this.#take(number);
    if (grant !== undefined) this.#putOff(grant, PIN_MS);
  }

  /** Its genes cannot be had. */
  unpinned(number: number, error: ErrorEnvelope): void {
    const grant = this.#take(number);
    if (grant === undefined) return;
    this.giveBack(number);
    this.#of.post.refused(grant.request, fromEnvelope(error));
  }

  /** Those whose genes have not come in time. */
  putOffLate(): void {
    const { ctx, turns } = this.#of;
    for (const number of [...this.#pinning.keys()]) {
      const since = turns.granted.get(number)?.since ?? 0;
      if (ctx.now - since >= PIN_MS) this.short(number);
    }
  }

  /** The engine ran a grant, or refused to: its words say what the lane holds now. */
  ran(ran: Ran): void {
    const { ctx, turns, occupancy, pins } = this.#of;
    const grant = turns.close(ran.grant);
    if (grant === undefined) return;
    if (this.#over.push(grant.request) > MOST_OVER) this.#over.shift();
    pins.unpin(ran.grant);
    turns.charge(grant, ran.processed, ran.produced);
    // A turn that goes on later has been served until now.
    if (grant.reclaim !== undefined) grant.request.account.servedAt = ctx.now;
    this.#freed(grant);
    occupancy.lanes.settle(grant.lane, ran.activity, ran, ctx.now);
    occupancy.measure(ran);
  }

  /** The engine knows of no run that it was to end. One that was lost on its way to it is asked for again by its mind. */
  neverRan(number: number): void {
    const { turns, post } = this.#of;
    const grant = turns.granted.get(number);
    this.giveBack(number);
    if (grant?.reclaim === undefined) return;
    post.revoked(grant.request, toEnvelope(new EngineLost({ reason: 'the run did not come to it' })));
  }

  /** A grant whose run never came: its lane is as it was. */
  giveBack(number: number): void {
    const { turns, occupancy, pins } = this.#of;
    const grant = turns.close(number);
    if (grant === undefined) return;
    this.#take(number);
    pins.unpin(number);
    occupancy.lanes.giveBack(grant.lane);
    this.#freed(grant);
  }

  /** The turn no longer wants its lane: it waited, or its grant was never used. */
  withdraw(mind: ActorId, ticket: number): void {
    const { turns } = this.#of;
    const number = turns.number(mind, ticket);
    if (number !== undefined && !turns.drop(number)) this.giveBack(number);
  }

  /** A mind is gone, or was started again: what it asked for is dropped, what it has is taken back. */
  takeBack(mind: ActorId): void {
    const { turns } = this.#of;
    const error = toEnvelope(new MindLeft({ name: `actor ${mind}` }));
    for (const grant of turns.numbersOf(mind)) if (!turns.drop(grant)) this.#revoke(grant, error);
  }

  /** Its mind is gone: the engine ends its run, if it has one. */
  #revoke(number: number, error: ErrorEnvelope): void {
    const { turns, pins, tellEngine } = this.#of;
    if (turns.granted.get(number)?.phenotype === undefined) return this.giveBack(number);
    pins.unpin(number);
    tellEngine({ type: 'revoke', grant: number, error, leftIn: 'page' });
  }

  /** The turn is over, as its mind says; the engine may have yet to end its run. */
  over(mind: ActorId, tickets: readonly number[]): void {
    for (const ticket of tickets) {
      const number = this.#of.turns.number(mind, ticket);
      if (number !== undefined) this.#of.pins.unpin(number);
    }
  }

  /** The engine's thread is gone, and maybe its last words to minds: those that have heard them take no notice. */
  lost(reason: string): void {
    const error = toEnvelope(new EngineLost({ reason }));
    for (const request of this.#over) this.#of.post.revoked(request, error);
    this.#over = [];
  }

  /** The engine is gone, and the lanes with it. */
  void(error: ErrorEnvelope): void {
    const { turns, pins, post } = this.#of;
    for (const [number, grant] of [...turns.granted]) {
      pins.unpin(number);
      if (grant.phenotype === undefined) {
        this.#take(number);
        turns.requeue(grant, pins.table.numbers(grant.request.phenotype));
      } else {
        turns.close(number);
        post.revoked(grant.request, error);
      }
    }
  }

  /** The page of the turn that gets the lane is about to come in. */
  #turnsBeside({ activity: served }: Request): PageTurns {
    const { ctx, turns } = this.#of;
    const turnOf = (activity: Activity) => (activity === served ? undefined : turns.waitingOf(activity));
    return {
      isWanted: (activity) => turns.isWanted(activity),
      after: (activity, pages) => roomsAfter(pages, turnOf, activity, ctx.now),
    };
  }

  #pin(grant: Grant): void {
    const { ctx, pins, post } = this.#of;
    const { request } = grant;
    const number = request.grant;
    const wait = { for: pins.residency ?? ctx.self, reason: 'genes', deadlineMs: PIN_MS };
    this.#pinning.set(number, ctx.wait(wait));
    post.queued(request, 'genes');
    pins.pin(number, grant);
  }

  #serve(grant: Grant, phenotype: PinnedPhenotype): void {
    const { ctx, turns, occupancy, post } = this.#of;
    const { request, lane } = grant;
    turns.serve(grant, phenotype, ctx.now);
    const continues = occupancy.lanes.continues(lane);
    const sharing = occupancy.lanes.sharing(lane);
    const { vacated } = occupancy;
    const { read } = request;
    post.granted(request, { epoch: this.#epoch, lane, continues, sharing, vacated, phenotype, read });
  }

  #freed({ request, reclaim }: Grant): void {
    if (reclaim !== undefined) probeReclaim(this.#of.ctx, request, reclaim);
  }

  #lacksPage({ lane, request }: Grant): boolean {
    const { occupancy, readings } = this.#of;
    return !occupancy.lanes.continues(lane) && readings.waitsFor(request) !== undefined;
  }

  /** It waits again, for so long at least. */
  #putOff(grant: Grant, forMs: number): void {
    const { ctx, turns, occupancy, pins } = this.#of;
    pins.unpin(grant.request.grant);
    occupancy.lanes.giveBack(grant.lane);
    grant.request.notBefore = ctx.now + forMs;
    turns.requeue(grant, pins.table.numbers(grant.request.phenotype));
  }

  /** A grant that waits for its pins no longer does. */
  #take(number: number): Grant | undefined {
    const end = this.#pinning.get(number);
    if (end === undefined) return undefined;
    end();
    this.#pinning.delete(number);
    return this.#of.turns.granted.get(number);
  }
}
