/** An actor with a timer that it sets anew at each tick; it notes how late each one is. */
export default {
  kind: 'ticker',
  start(ctx, { everyMs }) {
    const late = [];
    let due;
    const set = () => {
      due = performance.now() + everyMs;
      ctx.after(everyMs, { type: 'tick' });
    };
    return {
      receive() {},
      control({ type }) {
        if (type === 'late') return late;
        if (type === 'tick') late.push(performance.now() - due);
        return set();
      },
    };
  },
};
