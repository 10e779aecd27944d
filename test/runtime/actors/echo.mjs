/** A test actor: answers, counts, crashes and floods on demand. */
import { refuse } from '../../../dist/runtime/actor.js';

export default {
  kind: 'echo',
  start(ctx, args, saved) {
    let count = saved.get('count') ?? 0;
    const seen = [];
    let later;
    return {
      async receive(message) {
        switch (message.type) {
          case 'echo':
            return message.value;
          case 'count':
            return ++count;
          case 'save':
            count++;
            ctx.save('count', count);
            return count;
          case 'save-then-crash':
            ctx.save('count', 1000);
            throw new Error('after save');
          case 'incarnation':
            return ctx.incarnation;
          case 'crash':
            throw new Error(message.why ?? 'asked to');
          case 'refuse':
            return refuse(new TypeError('no'));
          case 'sleep':
            await new Promise((resolve) => setTimeout(resolve, message.ms));
            return 'slept';
          case 'spin': {
            const until = Date.now() + message.ms;
            while (Date.now() < until);
            return 'spun';
          }
          case 'note':
            seen.push(message.value);
            return;
          case 'seen':
            return seen;
          case 'later':
            later = ctx.replyLater();
            return;
          case 'now':
            later.resolve(message.value);
            return;
          case 'flood': {
            let accepted = 0;
            for (let i = 0; i < message.count; i++) {
              if (ctx.tell(message.to, { type: 'note', value: i })) accepted++;
            }
            return accepted;
          }
          case 'forward':
            return ctx.ask(message.to, message.message, message.options);
          case 'watch':
            ctx.watch(message.id);
            return;
          case 'stop':
            ctx.stop();
            return;
          case 'self':
            return ctx.self;
          case 'uncloneable':
            return () => {};
          default:
            return undefined;
        }
      },
      control(message) {
        if (message.type === 'peekin') return { count, seen };
        if (message.type === 'async') return Promise.resolve(1);
        if (message.type === 'note') seen.push(message.value);
        if (message.type === 'later') {
          later = ctx.replyLater();
          return undefined;
        }
        return undefined;
      },
      notice(notice) {
        seen.push(notice);
      },
      stop(reason) {
        if (args?.slowStop) return new Promise((resolve) => setTimeout(resolve, args.slowStop));
        return undefined;
      },
    };
  },
};
