/** An actor that asks along a way that the message gives, one actor after the other. */
import { refuse } from '../../../dist/runtime/actor.js';

export default {
  kind: 'asker',
  start: (ctx) => ({
    receive({ way, holdMs }) {
      const [next, ...rest] = way;
      if (next !== undefined) return ctx.ask(next, { type: 'ask', way: rest, holdMs }).catch(refuse);
      if (holdMs === undefined) return 'there';
      return new Promise((resolve) => setTimeout(() => resolve('there'), holdMs));
    },
  }),
};
