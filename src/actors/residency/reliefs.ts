/**
 * What the residency was asked to free and has not yet (B5): one ask after another, each answered with the bytes that really
 * came free, at the latest at its deadline. What is left of it then goes on being freed.
 */
import type { Tier } from '../../native/addon.js';
import type { Context, Reply } from '../../runtime/actor.js';
import type { Relieve, Relieved } from './protocol.js';

/** Asks that are open at one time; the broker has one a pool. */
const MOST_OPEN = 8;

/** To itself. */
export interface ReliefLate {
  readonly type: 'relief-late';
  readonly ask: number;
}

interface Open {
  readonly ask: number;
  readonly bytes: number;
  readonly tiers: readonly Tier[];
  freed: number;
  /** Those who have no answer yet. */
  replies: readonly Reply[];
}

export class Reliefs {
  readonly #ctx: Context;
  #open: readonly Open[] = [];

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Asked again for the same bytes, it frees them once. */
  add({ ask, bytes, tiers, deadlineMs }: Relieve, reply: Reply): void {
    const asked = this.#open.find((open) => open.ask === ask);
    if (asked === undefined && this.#open.length >= MOST_OPEN) {
      reply.resolve({ type: 'relieved', ask, outcome: 'refused', bytes: 0 } satisfies Relieved);
      return;
    }
    if (asked !== undefined) asked.replies = [...asked.replies, reply];
    else this.#open = [...this.#open, { ask, bytes, tiers, freed: 0, replies: [reply] }];
    this.#ctx.after(deadlineMs, { type: 'relief-late', ask } satisfies ReliefLate);
  }

  /** Tiers of the pool that is to be relieved now. */
  get tiers(): readonly Tier[] | undefined {
    return this.#open[0]?.tiers;
  }

  /** So much came free of that pool. */
  freed(bytes: number): void {
    const open = this.#open[0];
    if (open === undefined) return;
    open.freed += bytes;
    if (open.freed >= open.bytes) this.#close(open, 'released');
  }

  /** Nothing more of that pool can be freed. */
  exhausted(): void {
    const open = this.#open[0];
    if (open !== undefined) this.#close(open, open.freed > 0 ? 'partial' : 'refused');
  }

  late(ask: number): void {
    const open = this.#open.find((each) => each.ask === ask);
    if (open !== undefined) this.#answer(open, 'deferred');
  }

  #close(open: Open, outcome: Relieved['outcome']): void {
    this.#open = this.#open.filter((each) => each !== open);
    this.#answer(open, outcome);
  }

  #answer(open: Open, outcome: Relieved['outcome']): void {
    const relieved: Relieved = { type: 'relieved', ask: open.ask, outcome, bytes: open.freed };
    for (const reply of open.replies) reply.resolve(relieved);
    open.replies = [];
  }
}
