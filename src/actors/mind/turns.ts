/**
 * The turns that a mind has in hand, by each of the names that others call them: its number, its ticket at the broker,
 * its grant.
 */
import type { BrokerToMind } from '../broker/protocol.js';
import type { Turn } from './turn.js';

type Granted = BrokerToMind & { readonly type: 'granted' };

/** Turns that one mind holds at a time, those waiting in its rooms included. */
export const MAX_TURNS = 1024;
/** Tickets of a mind that was started again begin above those of before: the broker may still hold some of them. */
const TICKETS_A_START = 2 ** 20;

export class Turns {
  readonly #byNumber = new Map<number, Turn>();
  readonly #byTicket = new Map<number, Turn>();
  readonly #byGrant = new Map<number, Turn>();
  /** Cancelled before their request came: control messages overtake it. */
  readonly #early = new Set<number>();
  /** Number of the newest request that came; they come in order. */
  #newest = 0;
  #tickets: number;

  /** `incarnation` of the mind. */
  constructor(incarnation: number) {
    this.#tickets = incarnation * TICKETS_A_START;
  }

  get size(): number {
    return this.#byNumber.size;
  }

  /** Takes a turn in. False: it was cancelled before it came. */
  add(turn: Turn): boolean {
    const { turn: number } = turn.request;
    this.#byNumber.set(number, turn);
    const cancelled = this.#early.has(number);
    this.#newest = number;
    for (const early of this.#early) if (early <= number) this.#early.delete(early);
    return !cancelled;
  }

  /** Remembers the cancel of a turn that has not come; of one that has ended there is nothing to remember. */
  cancelEarly(number: number): void {
    if (number > this.#newest) this.#early.add(number);
  }

  /** Gives a turn a ticket, in place of any that it had. */
  queue(turn: Turn): void {
    turn.stage = 'queued';
    this.#byTicket.delete(turn.ticket);
    turn.ticket = ++this.#tickets;
    this.#byTicket.set(turn.ticket, turn);
  }

  run(turn: Turn, { grant, lane, read }: Pick<Granted, 'grant' | 'lane' | 'read'>): void {
    Object.assign(turn, { stage: 'running', grant, lane, read });
    this.#byGrant.set(grant, turn);
  }

  /** Its run has no last word: one that comes after all is not heard. */
  lose(turn: Turn): void {
    turn.stage = 'lost';
    this.#byGrant.delete(turn.grant);
  }

  /** Its run is over. */
  halt(turn: Turn): void {
    turn.stage = 'halted';
    this.#byGrant.delete(turn.grant);
    this.#byTicket.delete(turn.ticket);
  }

  remove(turn: Turn): void {
    turn.stage = 'ended';
    this.#byNumber.delete(turn.request.turn);
    this.#byTicket.delete(turn.ticket);
    this.#byGrant.delete(turn.grant);
  }

  get(number: number): Turn | undefined {
    return this.#byNumber.get(number);
  }

  byGrant(grant: number): Turn | undefined {
    return this.#byGrant.get(grant);
  }

  byTicket(ticket: number): Turn | undefined {
    return this.#byTicket.get(ticket);
  }

  all(): Turn[] {
    return [...this.#byNumber.values()];
  }
}
