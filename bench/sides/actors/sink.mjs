/**
 * An actor that takes what it is sent: it counts notes and adds them up. A note that is `last` of its burst is answered
 * with what was received since; `counted` asks for the same at any time.
 */
export default {
  kind: 'sink',
  start() {
    let count = 0;
    let sum = 0;
    const taken = () => {
      const received = { type: 'received', count, sum };
      count = 0;
      sum = 0;
      return received;
    };
    return {
      receive(message, ctx) {
        if (message.type === 'counted') return taken();
        count++;
        sum += message.value;
        if (message.last) ctx.tell(ctx.sender, taken());
        return undefined;
      },
    };
  },
};
