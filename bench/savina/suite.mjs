/**
 * The Savina benchmarks with the parameters that they are run with here, and how one becomes a side of a comparison.
 */
import { expectWork } from '../harness/interleave.mjs';
import { chameneos, philosophers } from './concurrency.mjs';
import { big, counting, forkJoinCreate, forkJoinThroughput, pingPong, threadRing } from './micro.mjs';

/** Small enough that the slowest side makes several in a slice. */
export const SAVINA = [
  [pingPong, { pings: 5_000 }],
  [counting, { messages: 10_000 }],
  [forkJoinCreate, { actors: 1_000 }],
  [forkJoinThroughput, { actors: 60, messages: 200 }],
  [threadRing, { actors: 100, hops: 10_000 }],
  [big, { actors: 120, pings: 40 }],
  [chameneos, { creatures: 100, meetings: 2_000 }],
  [philosophers, { seats: 20, meals: 100 }],
].map(([benchmark, parameters]) => ({ ...benchmark(parameters), parameters }));

/** A side that runs the benchmark of a name in a world, whose actors `world.clear()` ends after each run. */
export function inWorld(world, name) {
  const { run, expected, messages } = SAVINA.find((benchmark) => benchmark.name === name);
  return {
    async work() {
      const found = await new Promise((resolve) => run(world, resolve));
      expectWork(name, found, expected);
      return messages;
    },
    tidy: () => world.clear(),
  };
}
