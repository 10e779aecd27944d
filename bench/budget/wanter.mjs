/**
 * Wants a lane back from a mind, as the broker does.
 */
import { Band, defineActor } from '../../dist/index.js';

const DEADLINE_MS = 2_000;

export default defineActor({
  kind: 'wanter',
  start: (ctx) => ({
    receive({ mind, ticket }) {
      ctx.tell(mind, { type: 'reclaim', ticket, deadlineMs: DEADLINE_MS }, { band: Band.reserved });
    },
  }),
});
