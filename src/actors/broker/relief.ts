/**
 * Relief of a pool under pressure (B4, B5): those who can give memory back are asked one after another, what comes back
 * cheapest first, until there is enough. What was asked for and has not come free is pending, and asked of nobody again.
 */
import { AskTimeout } from '../../errors.js';
import { ActorEnded, MailboxFull, ThreadLost } from '../../runtime/errors.js';
import type { Relieved } from '../residency/protocol.js';
import type { Attempt } from './alerts.js';
import { type Pool, type PoolName, wantedBytes } from './pools.js';

/** What a giver says that it will free later counts as pending for so long. */
const DEFERRED_MS = 10_000;
/** Who has thrown so often in a row when it was asked is asked no more. */
const THROWS = 3;

const NO_THROWS = [ActorEnded, MailboxFull, ThreadLost];

/** `bytes`: really free now. */
export interface Given extends Pick<Relieved, 'outcome' | 'bytes'> {
  /** Of a deferred answer: what will yet come free. Default: all that was asked for and has not. */
  readonly pendingBytes?: number;
}

export interface Giver {
  readonly name: 'arena' | 'genes' | 'pages' | 'context';
  /** Whether it has anything to give in a pool. */
  isIn(pool: Pool): boolean;
  /** Settles within a deadline of its own. Rejects when whoever holds the bytes threw. */
  ask(bytes: number, pool: Pool): Promise<Given>;
}

interface Pending {
  readonly pool: PoolName;
  readonly bytes: number;
  readonly until: number;
}

export class Relief {
  /** In the order in which they are asked. */
  readonly #givers: readonly Giver[];
  readonly #now: () => number;
  readonly #busy = new Set<PoolName>();
  readonly #pending = new Map<string, Pending>();
  readonly #thrown = new Map<Giver['name'], number>();

  constructor(givers: readonly Giver[], now: () => number) {
    this.#givers = givers;
    this.#now = now;
  }

  /** Tries once; undefined: a try is under way, or as much as is wanted is pending. Never rejects. */
  async relieve(pool: Pool): Promise<Attempt | undefined> {
    const { name, level, pressure } = pool;
    const wanted = wantedBytes(pool) - this.pendingBytes(name);
    if (wanted <= 0 || this.#busy.has(name)) return undefined;
    this.#busy.add(name);
    let freedBytes = 0;
    const before = this.pendingBytes(name);
    for (const giver of this.#givers) {
      const missing = wanted - freedBytes - (this.pendingBytes(name) - before);
      if (missing <= 0) break;
      if (this.#mayAsk(giver, pool)) freedBytes += await this.#ask(giver, pool, missing);
    }
    this.#busy.delete(name);
    const coming = Math.max(0, this.pendingBytes(name) - before);
    const pendingBytes = Math.min(coming, Math.max(0, wanted - freedBytes));
    return { pool: name, level, pressure, wantedBytes: wanted, freedBytes, pendingBytes };
  }

  /** Asked for in a pool and not yet free. */
  pendingBytes(pool: PoolName): number {
    let sum = 0;
    for (const [key, pending] of this.#pending) {
      if (pending.until <= this.#now()) this.#pending.delete(key);
      else if (pending.pool === pool) sum += pending.bytes;
    }
    return sum;
  }

  /** Who is asked no more. */
  quarantined(): Giver['name'][] {
    return this.#givers.map(({ name }) => name).filter((name) => (this.#thrown.get(name) ?? 0) >= THROWS);
  }

  #mayAsk(giver: Giver, pool: Pool): boolean {
    return (
      giver.isIn(pool) &&
      (this.#thrown.get(giver.name) ?? 0) < THROWS &&
      !this.#pending.has(keyOf(giver, pool))
    );
  }

  async #ask(giver: Giver, pool: Pool, bytes: number): Promise<number> {
    const key = keyOf(giver, pool);
    this.#pending.set(key, { pool: pool.name, bytes, until: Number.POSITIVE_INFINITY });
    const given = await giver.ask(bytes, pool).then(
      (answer) => this.#answered(giver, answer),
      (error: unknown) => this.#threw(giver, error),
    );
    this.#pending.delete(key);
    const left = given.pendingBytes ?? bytes - given.bytes;
    if (given.outcome === 'deferred' && left > 0) {
      this.#pending.set(key, { pool: pool.name, bytes: left, until: this.#now() + DEFERRED_MS });
    }
    return given.bytes;
  }

  #answered({ name }: Giver, given: Given): Given {
    this.#thrown.delete(name);
    return given;
  }

  /**
   * Who is only late may still free what it was asked for; who is gone is followed by another, and who has too much to do was
   * not asked.
   */
  #threw({ name }: Giver, error: unknown): Given {
    if (error instanceof AskTimeout) return { outcome: 'deferred', bytes: 0 };
    if (!NO_THROWS.some((NoThrow) => error instanceof NoThrow)) {
      this.#thrown.set(name, (this.#thrown.get(name) ?? 0) + 1);
    }
    return { outcome: 'refused', bytes: 0 };
  }
}

const keyOf = (giver: Giver, pool: Pool): string => `${pool.name}/${giver.name}`;
