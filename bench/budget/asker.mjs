/**
 * Asks the residency for memory, as the broker does when a pool is under pressure.
 */
import { Band, defineActor, lookup } from '../../dist/index.js';

const DEADLINE_MS = 30_000;

export default defineActor({
  kind: 'asker',
  start(ctx) {
    let ask = 0;
    return {
      /** Answers what came free. */
      async receive({ bytes }) {
        const relieve = {
          type: 'relieve',
          ask: ++ask,
          bytes,
          tiers: ['device', 'host'],
          deadlineMs: DEADLINE_MS,
        };
        const residency = await lookup(ctx, 'residency');
        return ctx.ask(residency, relieve, { band: Band.control, deadlineMs: 2 * DEADLINE_MS });
      },
    };
  },
});
