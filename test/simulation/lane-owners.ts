/**
 * Looks at what the broker hears and says: no lane is granted while another grant has it, and who waits has neither a lane nor
 * genes. Looks at what the engine is told to run, so that each reply can be compared with that of the same prompt alone.
 */
import type { Run } from '../../src/actors/engine/protocol.js';
import type { Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import type { Listener } from './listening.js';

/** Of what the broker says and hears. */
type Said = Message & {
  readonly grant: number;
  readonly lane: number;
  readonly ticket: number;
  readonly turn: number;
};

export class LaneOwners implements Listener {
  readonly #broken: (property: string, what: string) => void;
  /** Grants that have a lane, by number: the lane, and what the mind calls it. */
  readonly #grants = new Map<number, { lane: number; ticket: string }>();
  /** Grants that have genes, or are about to: the turn. */
  readonly #pins = new Map<number, number>();
  /** The turn of each ticket. */
  readonly #turns = new Map<string, number>();
  /** What was run of each turn. */
  readonly runs = new Map<number, Run>();
  /** How often the residency has started: what it knows of pins it knows anew after each start. */
  residencies = 0;

  constructor(broken: (property: string, what: string) => void) {
    this.#broken = broken;
  }

  started(name: string): void {
    if (name === 'residency') this.residencies++;
    if (name === 'broker') this.#pins.clear();
  }

  told({ name }: Context, to: ActorId, message: Message): void {
    if (name !== 'broker') return;
    const { type, grant, lane, ticket, turn } = message as Said;
    const called = `${to} ${ticket}`;
    switch (type) {
      case 'granted':
        this.#granted(grant, lane, called);
        break;
      case 'queued':
        this.#waits(called);
        break;
      case 'revoked':
        this.#free(called);
        break;
      case 'pin':
        this.#pins.set(grant, turn);
        break;
      case 'unpin':
        this.#pins.delete(grant);
        break;
    }
  }

  heard({ name, sender }: Context, message: Message): void {
    const { type, grant, ticket, turn } = message as Said;
    if (name === 'engine' && type === 'run') this.runs.set(turn, message as unknown as Run);
    if (name !== 'broker') return;
    const called = `${sender} ${ticket}`;
    switch (type) {
      case 'request':
        this.#turns.set(called, turn);
        break;
      case 'ran':
      case 'never-ran':
        this.#grants.delete(grant);
        break;
      case 'withdraw':
        this.#free(called);
        break;
      case 'short':
      case 'unpinned':
        this.#pins.delete(grant);
        break;
      case 'up':
        this.#grants.clear();
        break;
    }
  }

  /** There is none any more, and no lane: nobody says that a grant is over. */
  engineGone(): void {
    this.#grants.clear();
  }

  /** Lanes that are granted, and grants that hold genes. */
  get granted(): number {
    return this.#grants.size;
  }

  get pinned(): number {
    return this.#pins.size;
  }

  #granted(grant: number, lane: number, ticket: string): void {
    const owner = [...this.#grants].find(([, other]) => other.lane === lane);
    if (owner !== undefined) {
      this.#broken('no lane has two owners', `lane ${lane} was granted to ${grant} while ${owner[0]} had it`);
    }
    this.#grants.set(grant, { lane, ticket });
  }

  #waits(ticket: string): void {
    const waits = (what: string): void => this.#broken('a waiting turn holds nothing', what);
    for (const { lane, ticket: holder } of this.#grants.values()) {
      if (holder === ticket) waits(`${ticket} waits, and has lane ${lane}`);
    }
    const turn = this.#turns.get(ticket);
    for (const [grant, holder] of this.#pins) {
      if (turn !== undefined && holder === turn) waits(`turn ${turn} waits, and has genes as grant ${grant}`);
    }
  }

  #free(ticket: string): void {
    for (const [grant, other] of this.#grants) if (other.ticket === ticket) this.#grants.delete(grant);
  }
}
