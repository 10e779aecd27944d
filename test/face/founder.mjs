/** An actor that starts others, and answers with what becomes of that. */
import { defineActor, refuse, startChild } from '../../dist/index.js';

export default defineActor({
  kind: 'founder',
  start: () => ({
    receive: ({ under, child }, ctx) => startChild(ctx, under, child).catch(refuse),
  }),
});
