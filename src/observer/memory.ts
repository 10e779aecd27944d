/**
 * The memory budget as observers see it: plain data that the source fills, a bounded part of what there is.
 */

export interface KindSeen {
  readonly kind: string;
  readonly bytes: number;
  /** Of these so many stay whatever the pressure. */
  readonly floorBytes: number;
}

export interface PoolSeen {
  readonly name: string;
  readonly budgetBytes: number;
  readonly heldBytes: number;
  readonly floorBytes: number;
  /** Beyond the floors: what is held, and what may be; 0: it is not managed. */
  readonly usedBytes: number;
  readonly capacityBytes: number;
  readonly pressure: number;
  readonly level: string;
  /** Asked for and not yet free. */
  readonly pendingBytes: number;
  readonly kinds: readonly KindSeen[];
}

export interface AlertSeen {
  /** In ms of the system's clock. */
  readonly atMs: number;
  readonly says: string;
}

export interface MemorySeen {
  readonly pools: readonly PoolSeen[];
  readonly cells: {
    readonly total: number;
    readonly granted: number;
    readonly idle: number;
    /** So many more there would be if lanes shared none. */
    readonly saved: number;
    /** What it was asked to be and grows back to, where memory was short and it was made smaller. */
    readonly asked?: number | undefined;
  };
  /** The latest last. */
  readonly alerts: readonly AlertSeen[];
  /** Who is asked for memory no more. */
  readonly quarantined: readonly string[];
}

/** Without the leases: there may be one for each room. */
export function memorySeen({ pools, cells, alerts, quarantined }: MemorySeen): MemorySeen {
  return { pools, cells, alerts: alerts.map(({ atMs, says }) => ({ atMs, says })), quarantined };
}
