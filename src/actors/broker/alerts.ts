/**
 * Alerts of pools that were relieved (B3): one for each try, also when nothing came free, but the same thing is not said
 * again, and nothing more often than every half minute.
 */
import { size } from '../../runtime/size.js';
import type { Level, PoolName } from './pools.js';

/** Sooner than this no pool is alerted again. */
const QUIET_MS = 30_000;
/** Alerts that are kept to be looked at. */
const KEPT = 32;

export interface Attempt {
  readonly pool: PoolName;
  readonly level: Level;
  readonly pressure: number;
  readonly wantedBytes: number;
  readonly freedBytes: number;
  /** Asked for, and yet to come free: what is being written to disk, above all. */
  readonly pendingBytes: number;
}

export interface Alert extends Attempt {
  /** Of what was wanted, what could not be had and is not on its way. */
  readonly stuckBytes: number;
  readonly atMs: number;
  readonly says: string;
}

export class Alerts {
  readonly #last = new Map<PoolName, Alert>();
  readonly #kept: Alert[] = [];

  /** The latest last. */
  all(): Alert[] {
    return [...this.#kept];
  }

  /** A pool was tried; undefined: that is no news. */
  tried(attempt: Attempt, atMs: number): Alert | undefined {
    const { wantedBytes, freedBytes, pendingBytes } = attempt;
    const stuckBytes = Math.max(0, wantedBytes - freedBytes - pendingBytes);
    const last = this.#last.get(attempt.pool);
    const same = last?.level === attempt.level && last.stuckBytes === stuckBytes;
    if (last !== undefined && (same || atMs - last.atMs < QUIET_MS)) return undefined;
    const alert = { ...attempt, stuckBytes, atMs, says: sentence(attempt, stuckBytes) };
    this.#last.set(attempt.pool, alert);
    this.#kept.push(alert);
    if (this.#kept.length > KEPT) this.#kept.shift();
    return alert;
  }

  /** A pool is calm again: what is said of it next is news. */
  calm(pool: PoolName): void {
    const last = this.#last.get(pool);
    if (last !== undefined) this.#last.set(pool, { ...last, level: 'normal' });
  }
}

function sentence(attempt: Attempt, stuckBytes: number): string {
  const { pool, level, pressure, wantedBytes, freedBytes, pendingBytes } = attempt;
  const full = `${pool} is ${level}, ${Math.round(100 * pressure)} % full`;
  if (freedBytes === 0 && pendingBytes === 0)
    return `${full}, hot and stuck: nothing of the ${size(wantedBytes)} wanted came free`;
  const coming = pendingBytes === 0 ? '' : `, ${size(pendingBytes)} are on their way`;
  const rest = stuckBytes === 0 ? '' : `, ${size(stuckBytes)} of the ${size(wantedBytes)} wanted did not`;
  return `${full}: ${size(freedBytes)} came free${coming}${rest}`;
}
