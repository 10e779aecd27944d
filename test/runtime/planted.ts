/** Reports made up for tests: actors and threads with only what matters said. */
import type { ActorReport, ThreadReport } from '../../src/runtime/inspect.js';
import type { Hold, Sight } from '../../src/runtime/standing.js';

/** `id` counts from 1 in the order of the actors; `waits` names the one that is waited for. */
export interface Planted extends Partial<Omit<ActorReport, 'waitsFor'>> {
  readonly name: string;
  readonly waits?: {
    readonly on: string;
    readonly reason: string;
    readonly forMs: number;
    readonly leftMs: number;
  };
}

/** An ask under way: its handler awaits the answer. */
export const asking = (name: string, on: string, reason: string, forMs: number, leftMs: number): Planted => ({
  name,
  state: 'awaiting',
  inHand: { type: 'go', forMs },
  waits: { on, reason, forMs, leftMs },
});

export function sightOf(
  planted: readonly Planted[],
  threads: readonly Partial<ThreadReport>[] = [{ name: 'host-0' }],
  holds: readonly { what: string; keeper: string; holder: string; worker: string }[] = [],
): Sight {
  const idOf = (name: string): number => planted.findIndex((actor) => actor.name === name) + 1;
  return {
    threads: threads.map((thread, number) => ({
      ...{ number, name: 'host-0', alive: true, sinceSliceMs: 5, restarts: 0, deadLetters: 0 },
      ...thread,
    })),
    actors: planted.map(({ waits, ...actor }) => ({
      ...{ id: idOf(actor.name), kind: 'echo', thread: 'host-0', state: 'idle' as const },
      ...{ depth: { system: 0, control: 0, user: 0 }, oldestMs: 0, inHand: undefined, processed: 100 },
      ...{ handlerMs: undefined, restarts: 0, startsInMs: undefined, lastError: undefined },
      ...actor,
      waitsFor: waits && { ...waits, on: idOf(waits.on) },
    })),
    holds: holds.map(
      ({ what, keeper, holder, worker }): Hold => ({
        what,
        keeper: idOf(keeper),
        holder: idOf(holder),
        worker: idOf(worker),
      }),
    ),
  };
}
