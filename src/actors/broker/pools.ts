/**
 * Pools of memory and how full they are (B1, B3). Pure: leases and budgets in, figures out.
 *
 * Where the device computes in host memory both tiers are one pool, `host`. Pressure is about what can be moved: what stays
 * whatever the pressure (the floors of all leases) is taken off the budget and off what is used.
 */
import type { Tier } from '../../native/addon.js';
import { bytesOf, floorOf, type Lease } from './leases.js';

export type PoolName = Tier;

export const LEVELS = ['normal', 'warning', 'high', 'critical'] as const;
export type Level = (typeof LEVELS)[number];

/** The least pressure of each level. */
export const WARNING = 0.6;
export const HIGH = 0.8;
export const CRITICAL = 0.95;

/** Bytes that may be held; a device of unknown size has none, and its pool is not managed. */
export interface Budgets {
  readonly device: number | undefined;
  readonly host: number;
  readonly disk: number;
}

export interface Pool {
  readonly name: PoolName;
  /** Of the leases in it. */
  readonly tiers: readonly Tier[];
  readonly budgetBytes: number;
  /** All that is held, floors included. */
  readonly heldBytes: number;
  readonly floorBytes: number;
  /** Beyond the floors: what is held, and what may be. */
  readonly usedBytes: number;
  readonly capacityBytes: number;
  /** `usedBytes` / `capacityBytes`; 0 where nothing can be moved or no budget is known. */
  readonly pressure: number;
  readonly level: Level;
}

export function poolsOf(leases: readonly Lease[], budgets: Budgets, onePool: boolean): Pool[] {
  const { device, host, disk } = budgets;
  const onDisk = poolOf('disk', ['disk'], disk, leases);
  if (!onePool) {
    return [
      poolOf('device', ['device'], device ?? 0, leases),
      poolOf('host', ['host'], host, leases),
      onDisk,
    ];
  }
  return [poolOf('host', ['device', 'host'], Math.min(host, device ?? host), leases), onDisk];
}

function poolOf(name: PoolName, tiers: readonly Tier[], budgetBytes: number, all: readonly Lease[]): Pool {
  const leases = all.filter(({ tier }) => tiers.includes(tier));
  const heldBytes = bytesOf(leases);
  const floorBytes = floorOf(leases);
  const usedBytes = heldBytes - floorBytes;
  const capacityBytes = Math.max(0, budgetBytes - floorBytes);
  const pressure = capacityBytes === 0 ? 0 : usedBytes / capacityBytes;
  return {
    ...{ name, tiers, budgetBytes, heldBytes, floorBytes, usedBytes, capacityBytes, pressure },
    level: levelOf(pressure),
  };
}

export function levelOf(pressure: number): Level {
  if (pressure >= CRITICAL) return 'critical';
  if (pressure >= HIGH) return 'high';
  return pressure >= WARNING ? 'warning' : 'normal';
}

/** Which pools are to be relieved now: at high the worst one, at critical all from high on, the worst first. */
export function pressed(pools: readonly Pool[]): Pool[] {
  const hot = pools.filter(({ pressure }) => pressure >= HIGH).sort((a, b) => b.pressure - a.pressure);
  return hot[0]?.level === 'critical' ? hot : hot.slice(0, 1);
}

/** How many bytes a relief asks for: down to where warning begins, or a tenth of the pool if that is more. */
export const wantedBytes = ({ usedBytes, capacityBytes }: Pool): number =>
  Math.ceil(Math.max(usedBytes - WARNING * capacityBytes, capacityBytes / 10));
