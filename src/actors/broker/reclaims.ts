/**
 * Lanes that are wanted back (T2): a grant is `reclaiming` from the word to its mind until the engine has ended its run. At
 * the deadline the engine is told itself, so that nothing here waits for a mind.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import type { EngineControl, Shape } from '../engine/protocol.js';
import { readProduced } from '../engine/status.js';
import { lackIn } from './lack.js';
import type { Grant, Ledger, Request } from './ledger.js';
import type { BrokerPost } from './post.js';
import { TURN_CLASSES, type TurnClass } from './protocol.js';
import { isAhead, type QueueState } from './queue.js';
import { chooseReclaims, type RunningTurn, reclaimDeadlineMs } from './reclaim-rule.js';
import type { Waiting } from './waiting.js';

export interface ReclaimsOf {
  readonly ctx: Context;
  readonly post: BrokerPost;
  readonly ledger: Ledger;
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
  askAll(turnClass: TurnClass, leftMs: number): void {
    const rank = TURN_CLASSES.indexOf(turnClass);
    const running = this.#running();
    if (running.some(({ request }) => request.rank < rank)) return;
    for (const grant of running) this.#ask(grant, leftMs);
  }

  /** Wants lanes back for the turn that is next, if it has waited for long enough (T5). `shape`: where there are lanes now. */
  askForNext(shape: Shape | undefined, waiting: Waiting): void {
    const state = shape && waiting.state(shape);
    const next = state && nextOf(state);
    if (state === undefined || next === undefined) return;
    const { lanes, cells, paged, now } = state;
    const running = this.#running().map((grant) => this.#runningTurn(grant, state));
    const chosen = chooseReclaims({
      ...{ next, running, now },
      hasLane: lanes.some((lane) => lane.state !== 'busy'),
      freeCells: lanes.reduce((left, lane) => left - lane.reserved, cells),
      need: Math.max(next.cells, paged(next.activity)),
    });
    if (chosen.length > 0) next.keeps = true;
    for (const number of chosen) {
      const grant = this.#of.ledger.granted.get(number);
      if (grant !== undefined) this.#ask(grant, Number.POSITIVE_INFINITY);
    }
  }

  /** Its mind has nothing more of it. */
  released(mind: ActorId, ticket: number): void {
    const number = this.#of.ledger.number(mind, ticket);
    if (number !== undefined) this.late(number);
  }

  /** If it is not over yet, the engine ends it. */
  late(number: number): void {
    const { ledger, tellEngine } = this.#of;
    if (ledger.granted.get(number)?.reclaiming)
      tellEngine({ type: 'revoke', grant: number, error: undefined });
  }

  /** Asks once. */
  #ask(grant: Grant, leftMs: number): void {
    if (grant.reclaiming) return;
    const { ctx, post } = this.#of;
    const { request } = grant;
    grant.reclaiming = true;
    const deadlineMs = reclaimDeadlineMs(leftMs);
    ctx.after(deadlineMs, { type: 'reclaim-late', grant: request.grant } satisfies ReclaimLate);
    post.reclaim(request, deadlineMs);
  }

  /** Those whose minds know of their lanes; a move is over in a moment. */
  #running(): Grant[] {
    return [...this.#of.ledger.granted.values()].filter(
      ({ request, phenotype }) => phenotype !== undefined && request.move === undefined,
    );
  }

  #runningTurn({ request, lane, since, reclaiming }: Grant, { lanes }: QueueState<Request>): RunningTurn {
    return {
      ...request,
      grantedAt: since,
      produced: readProduced(this.#of.status, lane),
      reserved: lanes[lane]?.reserved ?? 0,
      reclaiming,
    };
  }
}

/** The first of those that lack a lane or cells. */
function nextOf(state: QueueState<Request>): Request | undefined {
  const lack = lackIn(state);
  let next: Request | undefined;
  for (const turn of state.waiting) {
    if (next !== undefined && !isAhead(turn, next, state.now)) continue;
    const lacking = lack(turn);
    if (lacking === 'lane' || lacking === 'cells') next = turn;
  }
  return next;
}
