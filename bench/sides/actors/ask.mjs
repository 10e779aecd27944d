/**
 * Ask across threads: so many asks in flight, each of them followed by the next, to one actor on another thread.
 */
import { System } from '../../../dist/runtime/system.js';
import { expectWork } from '../../harness/interleave.mjs';

/** Asks of a piece of work. */
const ASKS = 1_024;

/** `ask(value)` answers the value. */
export const asking = (inFlight, ask) => ({
  async work() {
    const one = async (first) => {
      let sum = 0;
      for (let value = first; value < ASKS; value += inFlight) sum += await ask(value);
      return sum;
    };
    const sums = await Promise.all(Array.from({ length: inFlight }, (_, first) => one(first)));
    expectWork(
      'the sum of the answers',
      sums.reduce((a, b) => a + b),
      (ASKS * (ASKS - 1)) / 2,
    );
    return ASKS;
  },
});

export async function troupe({ inFlight }) {
  const system = await System.start([{ name: 'host', host: true }]);
  const module = new URL('./echo.mjs', import.meta.url).href;
  const id = await system.spawn({ name: 'echo', module, args: undefined });
  return asking(inFlight, (value) => system.ask(id, { type: 'echo', value }));
}
