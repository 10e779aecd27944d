/**
 * What is shown of the budget (B1): pools, leases, floors, pressure and alerts; and cells, which are places in the context
 * and no bytes. Pure.
 */
import { type PageRecord, UNMADE } from '../engine/protocol.js';
import type { Alert } from './alerts.js';
import { busyOf, cellsOf } from './lane-cells.js';
import { bytesOf, type HeldLease, LEASE_KINDS, type LeaseKind } from './leases.js';
import type { Pool } from './pools.js';
import type { LaneState } from './queue.js';
import type { Giver } from './relief.js';

export interface KindReport {
  readonly kind: LeaseKind;
  readonly bytes: number;
  readonly floorBytes: number;
}

export interface PoolReport extends Pool {
  /** Asked for and not yet free. */
  readonly pendingBytes: number;
  readonly kinds: readonly KindReport[];
}

export interface MemoryReport {
  readonly pools: readonly PoolReport[];
  readonly leases: readonly HeldLease[];
  readonly cells: {
    readonly total: number;
    /** Promised to turns that run. */
    readonly granted: number;
    /** Those that only idle lanes hold: given up when a turn needs them. */
    readonly idle: number;
    /** So many more there would be if lanes shared none. */
    readonly saved: number;
    /** What it was asked to be and grows back to, where memory was short and it was made smaller. */
    readonly asked?: number | undefined;
  };
  /** The latest last. */
  readonly alerts: readonly Alert[];
  /** Who threw too often when asked for memory, and is asked no more. */
  readonly quarantined: readonly Giver['name'][];
}

export interface ReportedMemory {
  readonly leases: readonly HeldLease[];
  readonly pools: readonly (Pool & { readonly pendingBytes: number })[];
  readonly pages: readonly PageRecord[];
  readonly lanes: readonly LaneState[];
  readonly cells: number;
  /** Where memory was short and the context was made smaller. */
  readonly askedCells: number | undefined;
  readonly alerts: readonly Alert[];
  readonly quarantined: readonly Giver['name'][];
}

export function reportOf({
  leases,
  pools,
  pages,
  lanes,
  cells,
  askedCells,
  alerts,
  quarantined,
}: ReportedMemory): MemoryReport {
  return {
    pools: pools.map((pool) => ({
      ...pool,
      kinds: kindsOf(leases.filter(({ tier }) => pool.tiers.includes(tier))),
    })),
    leases: leases.flatMap((lease) =>
      lease.kind === 'pages' && lease.tier === 'host' ? eachPage(lease, pages) : [lease],
    ),
    cells: { ...cellReport(cells, lanes), asked: askedCells },
    ...{ alerts, quarantined },
  };
}

function cellReport(total: number, lanes: readonly LaneState[]): Omit<MemoryReport['cells'], 'asked'> {
  const [granted, all] = [cellsOf(busyOf(lanes)), cellsOf(lanes)];
  const alone = lanes.reduce((sum, { reserved, held }) => sum + reserved + held, 0);
  return { total, granted, idle: all - granted, saved: alone - all };
}

const kindsOf = (leases: readonly HeldLease[]): KindReport[] =>
  LEASE_KINDS.flatMap((kind) => {
    const these = leases.filter((lease) => lease.kind === kind);
    const floorBytes = these.reduce((sum, lease) => sum + lease.floorBytes, 0);
    return these.length === 0 ? [] : [{ kind, bytes: bytesOf(these), floorBytes }];
  });

/**
 * The store's charge, by rooms; what it charges beyond the pages that are known is its own. A page that was made since the
 * store was last heard of is not in that charge yet.
 */
function eachPage(store: HeldLease, pages: readonly PageRecord[]): HeldLease[] {
  const known: HeldLease[] = [];
  let rest = store.bytes;
  for (const { activity, page, bytes } of pages) {
    if (page === UNMADE || bytes > rest) continue;
    known.push({ ...store, owner: activity, bytes, floorBytes: 0 });
    rest -= bytes;
  }
  return rest > 0 ? [...known, { ...store, bytes: rest }] : known;
}
