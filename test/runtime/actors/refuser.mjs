/** An actor that answers with any declared error, in the detail it is given. */

import { declaredErrors } from '../../../dist/errors.js';
import { refuse } from '../../../dist/runtime/actor.js';

export default {
  kind: 'refuser',
  start: (ctx) => ({
    receive({ type, code, detail, other }) {
      if (type === 'relay')
        return ctx.ask(other, { type: 'refuse', code, detail }).catch((error) => refuse(error));
      const Declared = declaredErrors().get(code);
      return refuse(new Declared(type === 'with-function' ? { ...detail, f: () => {} } : detail));
    },
  }),
};
