/**
 * Which thread a new actor goes to, and whether it can go anywhere at all.
 */
import type { SpawnOptions } from './actor.js';
import { ACTOR_START_MS, ASK_DEADLINE_MS, NAME_BYTES } from './defaults.js';
import { BadArgument, type TroupeError } from './errors.js';
import { checkPolicy, isMs } from './supervision.js';
import { CONTROL_THREAD } from './well-known.js';

export interface Threads {
  /** Numbers of the threads that actors are placed on. */
  readonly hosts: readonly number[];
  /** Threads in all. */
  readonly threads: number;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A spawn is answered within this. What is wrong with its options, the directory says. */
export function spawnedWithinMs(options: Partial<SpawnOptions> | undefined): number {
  const { startMs = ACTOR_START_MS } = options ?? {};
  // Longer than the directory takes to give up, so that its error is the one that is heard.
  return (isMs(startMs) ? startMs : 0) + 2 * ASK_DEADLINE_MS;
}

export class Placement {
  readonly #threads: Threads;
  /** Actors on each thread. */
  readonly #load = new Map<number, number>();

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  /** What is wrong with how an actor is to be spawned. */
  check(options: SpawnOptions): TroupeError | undefined {
    if (typeof options !== 'object' || options === null) {
      return new BadArgument({
        argument: 'options',
        value: options,
        expected: 'an object { name, module, args }',
      });
    }
    const { name, thread, module, restart, vital, passivateMs, startMs } = options;
    // A lone surrogate is no UTF-8: on the board it would be another name.
    const bytes = typeof name === 'string' && !LONE_SURROGATE.test(name) ? Buffer.byteLength(name) : 0;
    if (bytes < 1 || bytes > NAME_BYTES) {
      const expected = `1 to ${NAME_BYTES} bytes of UTF-8`;
      return new BadArgument({ argument: 'name', value: name, expected });
    }
    if (typeof module !== 'string') {
      return new BadArgument({ argument: 'module', value: module, expected: 'the URL of a module' });
    }
    const unfit = restart === undefined ? undefined : checkPolicy('restart', restart);
    if (unfit !== undefined) return unfit;
    for (const [argument, value] of Object.entries({ passivateMs, startMs })) {
      if (value === undefined || (isMs(value) && value > 0)) continue;
      return new BadArgument({ argument, value, expected: 'milliseconds, more than 0' });
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
