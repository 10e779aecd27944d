/**
 * What an actor's own code takes its time for, and how long it may: its start and its stop.
 */
import type { Behaviour } from './actor.js';
import type { Cell } from './cell.js';
import { ACTOR_STOP_MS } from './defaults.js';
import { AskTimeout, asTroupeError } from './errors.js';

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as Promise<unknown>).then === 'function';

/** Settles as `work` does, or rejects with `AskTimeout` after `ms`. */
export function inTime<T>(cell: Cell, work: Promise<T>, ms: number, what: string): Promise<T> {
  const { deadlines } = cell.home;
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new AskTimeout({ actor: cell.name, message: what, waitedMs: ms }));
    const timer = deadlines.call(ms, late);
    // Also of what is a promise to `await` alone.
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => deadlines.drop(timer));
  });
}

/** Frees what a behaviour holds. That it fails, or takes too long, is a probe and holds nobody up. */
export async function stop(cell: Cell, behaviour: Behaviour | undefined, reason: string): Promise<void> {
  try {
    const stopping = cell.home.runAs(cell.context, () => behaviour?.stop?.(reason));
    if (isPromise(stopping)) await inTime(cell, stopping, ACTOR_STOP_MS, 'stop');
  } catch (error) {
    const { message } = asTroupeError(error);
    cell.home.probes.emit({ name: 'actor.stop_failed', actor: cell.name, error: message });
  }
}
