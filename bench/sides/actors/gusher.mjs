/** An actor that sends notes to another one without end, whether they are taken or not. */
const A_STEP = 256;

export default {
  kind: 'gusher',
  start(ctx, { to }) {
    let accepted = 0;
    let refused = 0;
    const flood = ctx.work(() => {
      for (let value = 0; value < A_STEP; value++) {
        if (ctx.tell(to, { type: 'note', value })) accepted++;
        else refused++;
      }
      return true;
    });
    return {
      receive() {},
      control({ type }) {
        if (type === 'begin') return flood.wake();
        const told = { accepted, refused };
        accepted = 0;
        refused = 0;
        return told;
      },
    };
  },
};
