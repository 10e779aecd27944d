/**
 * Which thread a new actor goes to, and whether it can go anywhere at all.
 */
import type { SpawnOptions } from './actor.js';
import { NAME_BYTES } from './defaults.js';
import { BadArgument, type TroupeError } from './errors.js';
import { checkPolicy } from './supervision.js';
import { CONTROL_THREAD } from './well-known.js';

export interface Threads {
  /** Numbers of the threads that actors are placed on. */
  readonly hosts: readonly number[];
  /** Threads in all. */
  readonly threads: number;
}

export class Placement {
  readonly #threads: Threads;
  /** Actors on each thread. */
  readonly #load = new Map<number, number>();

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  /** What is wrong with how an actor is to be spawned. */
  check({ name, thread, module, restart, vital, passivateMs }: SpawnOptions): TroupeError | undefined {
    const bytes = typeof name === 'string' ? Buffer.byteLength(name) : 0;
    if (bytes < 1 || bytes > NAME_BYTES) {
      const expected = `1 to ${NAME_BYTES} bytes of UTF-8`;
      return new BadArgument({ argument: 'name', value: name, expected });
    }
    if (typeof module !== 'string') {
      return new BadArgument({ argument: 'module', value: module, expected: 'the URL of a module' });
    }
    const unfit = restart === undefined ? undefined : checkPolicy('restart', restart);
    if (unfit !== undefined) return unfit;
    if (passivateMs !== undefined && !(passivateMs > 0 && passivateMs < Number.POSITIVE_INFINITY)) {
      const expected = 'milliseconds, more than 0';
      return new BadArgument({ argument: 'passivateMs', value: passivateMs, expected });
    }
    if (vital !== undefined && typeof vital !== 'boolean') {
      return new BadArgument({ argument: 'vital', value: vital, expected: 'true or false' });
    }
    const { threads } = this.#threads;
    if (thread === undefined || (Number.isInteger(thread) && thread >= 0 && thread < threads))
      return undefined;
    return new BadArgument({ argument: 'thread', value: thread, expected: `0 to ${threads - 1}` });
  }

  /** The thread that was named, else the host thread with the fewest actors; it has one more from now on. */
  take(named?: number): number {
    const thread = named ?? this.#leastLoaded();
    this.#count(thread, 1);
    return thread;
  }

  free(thread: number): void {
    this.#count(thread, -1);
  }

  #leastLoaded(): number {
    const { hosts } = this.#threads;
    let best = hosts[0] ?? CONTROL_THREAD;
    for (const host of hosts) {
      if ((this.#load.get(host) ?? 0) < (this.#load.get(best) ?? 0)) best = host;
    }
    return best;
  }

  #count(thread: number, by: number): void {
    this.#load.set(thread, (this.#load.get(thread) ?? 0) + by);
  }
}
