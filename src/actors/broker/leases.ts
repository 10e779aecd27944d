/**
 * The ledger of memory: who holds how many bytes, where, and of what. Whoever holds memory says all that it holds, as it
 * measured it, whenever that has changed (`lease-news.ts`); the broker only keeps what was said.
 */
import type { Tier } from '../../native/addon.js';

export const LEASE_KINDS = [
  'weights',
  'context',
  'compute',
  'output',
  'genes',
  'pages',
  'arena',
  'checkpoints',
  'window',
] as const;
/** `window`: through which a lane goes to disk; `arena`: memory that the store of pages holds and nothing uses; `compute`, `output`: buffers of a step. */
export type LeaseKind = (typeof LEASE_KINDS)[number];

export interface Lease {
  /** What holds it: a model, a gene by its name, a room by its activity. */
  readonly owner: string;
  readonly kind: LeaseKind;
  readonly tier: Tier;
  readonly bytes: number;
  /** Of these so many stay whatever the pressure, as whoever holds them measured. */
  readonly floorBytes: number;
}

/** Who holds memory: the engine (its model, context, and the store of pages), the residency, the pager (files of pages). */
export type Holder = 'engine' | 'residency' | 'pager';

/** Told by a holder: all that it holds, in place of what it said before. */
export interface Holds {
  readonly type: 'holds';
  readonly holder: Holder;
  readonly leases: readonly Lease[];
  /** Whether the device computes in host memory, so that both tiers are one pool; from the engine alone. */
  readonly onePool?: boolean | undefined;
}

export interface HeldLease extends Lease {
  readonly holder: Holder;
  /** Its holder is gone. It counts until the one after it says what it holds. */
  readonly expired: boolean;
}

export class LeaseBook {
  readonly #holders = new Map<Holder, { readonly leases: readonly Lease[]; readonly expired: boolean }>();

  hold(holder: Holder, leases: readonly Lease[]): void {
    this.#holders.set(holder, { leases, expired: false });
  }

  expire(holder: Holder): void {
    const held = this.#holders.get(holder);
    if (held !== undefined) this.#holders.set(holder, { ...held, expired: true });
  }

  all(): HeldLease[] {
    return [...this.#holders].flatMap(([holder, { leases, expired }]) =>
      leases.map((lease) => ({ ...lease, holder, expired })),
    );
  }
}

export const bytesOf = (leases: readonly Lease[]): number =>
  leases.reduce((sum, { bytes }) => sum + bytes, 0);

export const floorOf = (leases: readonly Lease[]): number =>
  leases.reduce((sum, { floorBytes }) => sum + floorBytes, 0);
