/**
 * The broker's book of turns: who waits for a lane, who has one, and by which ticket a mind calls each. It only keeps;
 * who is next is decided in `queue.ts`.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../engine/protocol.js';
import { type MindToBroker, TURN_CLASSES } from './protocol.js';
import type { WaitingTurn } from './queue.js';
import { type Account, liftedWork, openAccount, workOf } from './work.js';

export interface Request extends WaitingTurn {
  readonly mind: ActorId;
  readonly ticket: number;
}

export interface Grant {
  readonly request: Request;
  readonly lane: number;
}

interface Client {
  readonly account: Account;
  /** Numbers of its requests and grants, by its tickets. */
  readonly tickets: Map<number, number>;
}

export class Ledger {
  /** By number; a request keeps its number when it is granted. */
  readonly waiting = new Map<number, Request>();
  readonly granted = new Map<number, Grant>();
  /**
   * Requests whose activity still has a grant here: its run is over, for a room's turns run in order, but the engine's
   * word of it has not come. They wait for that, else they would be sent away from the lane that holds their KV.
   */
  readonly #behind = new Map<Activity, Request>();
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
    const { ticket, activity, class: turnClass, cells } = message;
    const grant = ++this.#last;
    const rank = TURN_CLASSES.indexOf(turnClass);
    const request = { grant, mind, account, ticket, activity, rank, cells, since: now };
    tickets.set(ticket, grant);
    const last = [...this.granted.values()].find((granted) => granted.request.activity === activity);
    if (last === undefined) this.#wait(request);
    else this.#behind.set(activity, request);
    return request;
  }

  /** Those that came to wait since this was last asked, and still do. */
  takeFresh(): Request[] {
    const fresh = this.#fresh.filter((request) => this.waiting.has(request.grant));
    this.#fresh = [];
    return fresh;
  }

  grant(request: Request, lane: number, now: number): void {
    request.account.servedAt = now;
    this.waiting.delete(request.grant);
    this.granted.set(request.grant, { request, lane });
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
    const behind = [...this.#behind.values()].find((request) => request.grant === number);
    const request = this.waiting.get(number) ?? behind;
    if (request === undefined) return false;
    if (request === behind) this.#behind.delete(request.activity);
    else this.waiting.delete(number);
    this.#clients.get(request.mind)?.tickets.delete(request.ticket);
    return true;
  }

  /** A grant is over; undefined: it was already. */
  close(number: number): Grant | undefined {
    const grant = this.granted.get(number);
    if (grant === undefined) return undefined;
    this.granted.delete(number);
    const { mind, ticket, activity } = grant.request;
    this.#clients.get(mind)?.tickets.delete(ticket);
    const behind = this.#behind.get(activity);
    if (behind !== undefined) {
      this.#behind.delete(activity);
      this.#wait(behind);
    }
    return grant;
  }

  charge(grant: Grant, processedTokens: number, producedTokens: number): void {
    grant.request.account.work += workOf(processedTokens, producedTokens);
  }

  /** The mind is gone for good; what it had is closed when the engine says so. */
  forget(mind: ActorId): void {
    this.#clients.delete(mind);
  }

  #wait(request: Request): void {
    this.waiting.set(request.grant, request);
    this.#fresh.push(request);
  }
}
