/**
 * The broker's book of turns: who waits for a lane, who has one, and by which ticket a mind calls each. It only keeps;
 * who is next is decided in `queue.ts`.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { NamedGene, PinnedPhenotype } from '../residency/protocol.js';
import { type DiskRead, type MindToBroker, type QueueReason, TURN_CLASSES } from './protocol.js';
import type { WaitingTurn } from './queue.js';
import type { Reclaim } from './reclaim-probe.js';
import { type Account, liftedWork, openAccount, workOf } from './work.js';

export interface Request extends WaitingTurn {
  /** Another one each time that it waits anew. */
  grant: number;
  /** Who asks: a mind, or the pager. */
  readonly mind: ActorId;
  readonly ticket: number;
  readonly turn: number | undefined;
  readonly move: 'page-out' | 'page-in' | undefined;
  /** What it runs, by names. */
  readonly phenotype: readonly NamedGene[];
  genes: readonly number[];
  notBefore: number;
  keeps: boolean;
  /** Why it waits, as it was told. */
  reason: QueueReason | undefined;
  /** What became of reading its page, if that was on disk alone. */
  read: DiskRead | undefined;
}

/** What takes an activity out of its lane goes first: nothing may take the lane meanwhile. */
const MOVE_RANK = -1;

export interface Grant {
  readonly request: Request;
  readonly lane: number;
  /** When it got its lane. */
  readonly since: number;
  /** What was pinned for it; undefined: that is not said yet, and nor is the grant to its mind. */
  phenotype: PinnedPhenotype | undefined;
  /** Its lane is wanted back. */
  reclaim: Reclaim | undefined;
}

interface Client {
  readonly account: Account;
  /** Numbers of its requests and grants, by its tickets. */
  readonly tickets: Map<number, number>;
}

export class TurnBook {
  /** By number; a request keeps its number when it is granted. */
  readonly waiting = new Map<number, Request>();
  readonly granted = new Map<number, Grant>();
  /** Those that wait, to be gone through again and again. */
  readonly queue: Iterable<Request> = { [Symbol.iterator]: () => this.waiting.values() };
  /**
   * Each activity's first request or grant here, and those behind it, for what an activity is granted comes one after the
   * other. A turn that asks while the one before it still has its grant waits for the engine's word of that, else it would
   * be sent away from the lane that holds its KV.
   */
  readonly #lines = new Map<Activity, Request[]>();
  #fresh: Request[] = [];
  readonly #clients = new Map<ActorId, Client>();
  #last: number;

  /** Numbers begin above `after`. */
  constructor(after: number) {
    this.#last = after;
  }

  knows(mind: ActorId): boolean {
    return this.#clients.has(mind);
  }

  add(message: MindToBroker & { readonly type: 'request' }, mind: ActorId, now: number): Request {
    const client = this.#clients.get(mind) ?? { account: openAccount(), tickets: new Map() };
    this.#clients.set(mind, client);
    const { account, tickets } = client;
    if (tickets.size === 0) account.work = liftedWork(account.work, this.waiting.values());
    const { ticket, turn, activity, class: turnClass, cells, move, since = now, genes: phenotype } = message;
    const grant = ++this.#last;
    const rank = move === 'page-out' ? MOVE_RANK : TURN_CLASSES.indexOf(turnClass);
    const request: Request = {
      ...{ grant, mind, account, ticket, turn, activity, rank, cells, move, phenotype },
      ...{ since: Math.min(now, since), genes: [], notBefore: now, keeps: false, reason: undefined },
      read: undefined,
    };
    tickets.set(ticket, grant);
    const line = this.#lines.get(activity) ?? [];
    this.#lines.set(activity, line);
    if (line.push(request) === 1) this.#wait(request);
    return request;
  }

  /** Those that came to wait since `takeFresh`, and still do. */
  fresh(): Request[] {
    return this.#fresh.filter((request) => this.waiting.has(request.grant));
  }

  takeFresh(): Request[] {
    const fresh = this.fresh();
    this.#fresh = [];
    return fresh;
  }

  /** Whether an activity waits for anything or has a grant. */
  isWanted(activity: Activity): boolean {
    return this.#lines.has(activity);
  }

  /** What of an activity waits for a lane. */
  waitingOf(activity: Activity): Request | undefined {
    const [first] = this.#lines.get(activity) ?? [];
    return first !== undefined && this.waiting.has(first.grant) ? first : undefined;
  }

  /** It has a lane, and waits no longer. */
  grant(request: Request, lane: number, now: number): Grant {
    const grant: Grant = { request, lane, since: now, phenotype: undefined, reclaim: undefined };
    this.waiting.delete(request.grant);
    this.granted.set(request.grant, grant);
    return grant;
  }

  /** It has all that it needs. */
  serve(grant: Grant, phenotype: PinnedPhenotype, now: number): void {
    grant.phenotype = phenotype;
    grant.request.account.servedAt = now;
  }

  /**
   * It waits again, as long as it has: it has no lane any more, and no mind was told that it had. Under another number, so that
   * what is yet said of its pins is not taken for word of the next ones. `genes`: those that its names stand for by now.
   */
  requeue({ request }: Grant, genes: readonly number[]): void {
    this.granted.delete(request.grant);
    request.genes = genes;
    request.grant = ++this.#last;
    this.#clients.get(request.mind)?.tickets.set(request.ticket, request.grant);
    this.#wait(request);
  }

  /** All that waits for its turn, whether or not something of its activity is before it. */
  requests(): Request[] {
    const lines = [...this.#lines.values()].flat();
    return lines.filter(({ grant }) => !this.granted.has(grant));
  }

  /** The number that a mind's ticket stands for; undefined once that is over. */
  number(mind: ActorId, ticket: number): number | undefined {
    return this.#clients.get(mind)?.tickets.get(ticket);
  }

  /** All that a mind waits for or has. */
  numbersOf(mind: ActorId): number[] {
    return [...(this.#clients.get(mind)?.tickets.values() ?? [])];
  }

  /** It no longer waits. False: it does not, or no more. */
  drop(number: number): boolean {
    const request = this.waiting.get(number) ?? this.#behind(number);
    if (request === undefined) return false;
    this.waiting.delete(number);
    this.#leave(request);
    return true;
  }

  /** A grant is over; undefined: it was already. */
  close(number: number): Grant | undefined {
    const grant = this.granted.get(number);
    if (grant === undefined) return undefined;
    this.granted.delete(number);
    this.#leave(grant.request);
    return grant;
  }

  charge(grant: Grant, processedTokens: number, producedTokens: number): void {
    grant.request.account.work += workOf(processedTokens, producedTokens);
  }

  /** The mind is gone for good; what it had is closed when the engine says so. */
  forget(mind: ActorId): void {
    this.#clients.delete(mind);
  }

  #behind(number: number): Request | undefined {
    for (const [, ...rest] of this.#lines.values()) {
      const found = rest.find((request) => request.grant === number);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** It is over; who was next behind it waits from now on. */
  #leave(request: Request): void {
    const { activity, mind, ticket } = request;
    this.#clients.get(mind)?.tickets.delete(ticket);
    const line = this.#lines.get(activity) ?? [];
    const at = line.indexOf(request);
    if (at >= 0) line.splice(at, 1);
    const [next] = line;
    if (next === undefined) this.#lines.delete(activity);
    else if (at === 0) this.#wait(next);
  }

  #wait(request: Request): void {
    this.waiting.set(request.grant, request);
    this.#fresh.push(request);
  }
}
