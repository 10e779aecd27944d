/**
 * Lanes that are wanted back (T2): a grant is reclaiming from the word to its mind until the engine has ended its run. At
 * the deadline the engine is told itself, so that nothing here waits for a mind.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { EngineControl, LeftIn, Shape } from '../engine/protocol.js';
import { readProduced } from '../engine/status.js';
import type { GeneTable } from './gene-table.js';
import { isPaused, type Lack, lackIn, takenIn } from './lack.js';
import { busyOf, cellsLeft } from './lane-cells.js';
import type { BrokerPost } from './post.js';
import { TURN_CLASSES, type TurnClass } from './protocol.js';
import { isAhead, type QueueState } from './queue.js';
import type { Reclaim } from './reclaim-probe.js';
import { chooseReclaims, type RunningTurn, reclaimDeadlineMs } from './reclaim-rule.js';
import type { Grant, Request, TurnBook } from './turn-book.js';
import type { Waiting } from './waiting.js';

export interface ReclaimsOf {
  readonly ctx: Context;
  readonly post: BrokerPost;
  readonly turns: TurnBook;
  readonly genes: GeneTable;
  readonly tellEngine: (message: EngineControl) => void;
  /** What the engine shows of its lanes. */
  readonly status: Int32Array;
}

/** To the broker itself: the deadline of a reclaim is past. */
export interface ReclaimLate {
  readonly type: 'reclaim-late';
  readonly grant: number;
}

export class Reclaims {
  readonly #of: ReclaimsOf;

  constructor(of: ReclaimsOf) {
    this.#of = of;
  }

  /** Wants all lanes back, within so long. While a turn of a higher class than this one runs they are of no use yet. */
  askAll(turnClass: TurnClass, leftMs: number, leftIn: LeftIn): void {
    const rank = TURN_CLASSES.indexOf(turnClass);
    const running = this.#running();
    if (running.some(({ request }) => request.rank < rank)) return;
    for (const grant of running) this.#ask(grant, leftMs, { reason: 'relaunching', for: undefined, leftIn });
  }

  /**
   * Wants lanes back for the turn that is next, if it has waited for long enough (T5); or, where none gives way to that one, for the
   * one that is next of those that lack something else. `shape`: where there are lanes now.
   */
  askForNext(shape: Shape | undefined, waiting: Waiting): void {
    const state = shape && waiting.state(shape);
    if (state === undefined) return;
    for (const [next, reason] of firstLacking(state)) {
      const chosen = this.#choose(next, state);
      if (chosen.length === 0) continue;
      next.keeps = true;
      const what = { reason, for: next, leftIn: 'page' } as const;
      for (const grant of chosen) this.#ask(grant, Number.POSITIVE_INFINITY, what);
      return;
    }
  }

  /** Its mind has nothing more of it. */
  released(mind: ActorId, ticket: number): void {
    const number = this.#of.turns.number(mind, ticket);
    if (number !== undefined) this.late(number);
  }

  /** If it is not over yet, the engine ends it. */
  late(number: number): void {
    const { turns, tellEngine } = this.#of;
    const { reclaim } = turns.granted.get(number) ?? {};
    if (reclaim !== undefined)
      tellEngine({ type: 'revoke', grant: number, error: undefined, leftIn: reclaim.leftIn });
  }

  /** Asks once. */
  #ask(grant: Grant, leftMs: number, what: Omit<Reclaim, 'askedAt'>): void {
    if (grant.reclaim !== undefined) return;
    const { ctx, post } = this.#of;
    const { request } = grant;
    grant.reclaim = { ...what, askedAt: ctx.now };
    const deadlineMs = reclaimDeadlineMs(leftMs);
    ctx.after(deadlineMs, { type: 'reclaim-late', grant: request.grant } satisfies ReclaimLate);
    post.reclaim(request, deadlineMs, what.leftIn);
  }

  /** Those whose minds know of their lanes; a move is over in a moment. */
  #running(): Grant[] {
    return [...this.#of.turns.granted.values()].filter(
      ({ request, phenotype }) => phenotype !== undefined && request.move === undefined,
    );
  }

  #choose(next: Request, state: QueueState<Request>): Grant[] {
    const { lanes, cells, now } = state;
    const taken = takenIn(state)(next);
    const chosen = chooseReclaims({
      ...{ next, now, genes: this.#of.genes.held() },
      running: this.#running().map((grant) => this.#runningTurn(grant)),
      hasLane: lanes.some((lane) => lane.state !== 'busy'),
      freeCells: (gone) => {
        const left = busyOf(lanes).filter(({ lane }) => gone.every((turn) => turn.lane !== lane));
        return cellsLeft(cells, left, taken);
      },
      need: taken.reserved,
    });
    return chosen.flatMap((number) => this.#of.turns.granted.get(number) ?? []);
  }

  #runningTurn({ request, lane, since, reclaim }: Grant): RunningTurn {
    const produced = readProduced(this.#of.status, lane);
    return { ...request, grantedAt: since, produced, lane, reclaiming: reclaim !== undefined };
  }
}

type Lacking = readonly [Request, Lack];

/** Of those that lack a lane or cells the first, and of those that lack gene slots: the first of the two first. */
function firstLacking(state: QueueState<Request>): Lacking[] {
  const { now } = state;
  const lack = lackIn(state);
  const first: { room?: Lacking; genes?: Lacking } = {};
  for (const turn of state.waiting) {
    const lacking = isPaused(turn, now) ? undefined : lack(turn);
    // Room for its page comes with the grants of those that go first.
    if (lacking === undefined || lacking === 'host') continue;
    const kind = lacking === 'genes' ? 'genes' : 'room';
    const before = first[kind];
    if (before === undefined || isAhead(turn, before[0], now)) first[kind] = [turn, lacking];
  }
  const { room, genes } = first;
  return [room, genes].filter((each) => each !== undefined).sort(([a], [b]) => (isAhead(a, b, now) ? -1 : 1));
}
