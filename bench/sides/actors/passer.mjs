/** An actor of a circle: hands a token on, and at its last hop gives it back to whom it began with. */
export default {
  kind: 'passer',
  start() {
    let next;
    return {
      receive(message, ctx) {
        if (message.type === 'next') {
          next = message.id;
        } else if (message.left === 0) {
          ctx.tell(message.home, { type: 'ended', hops: message.hops });
        } else {
          ctx.tell(next, { ...message, left: message.left - 1, hops: message.hops + 1 });
        }
      },
    };
  },
};
