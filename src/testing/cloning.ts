/**
 * Clones every message and every answer also within a thread, as a line between threads does: an actor that changes what
 * it has sent, or what it was sent, then works here as little as it would across threads.
 */
import { type Behaviour, type Context, Refusal, type Reply } from '../runtime/actor.js';
import { type ActorId, threadOf } from '../runtime/address.js';
import { isPromise } from '../runtime/in-time.js';
import { copy } from './copy.js';
import type { Wrapping } from './wrapping.js';
import { withParts } from './wrapping.js';

const copyAnswer = (value: unknown): unknown => (value instanceof Refusal ? value : copy(value));

export const cloning: Wrapping = {
  context: (ctx) => {
    const { self } = ctx;
    /** The line to another thread makes a copy of its own. */
    const sent = <T>(to: ActorId, message: T): T =>
      threadOf(to) === threadOf(self) ? copy(message) : message;
    return withParts(ctx, {
      tell: (to, message, options) => ctx.tell(to, sent(to, message), options),
      ask: (to, message, options) => ctx.ask(to, sent(to, message), options),
      replyLater: () => {
        const reply: Reply = ctx.replyLater();
        return { resolve: (value) => reply.resolve(copy(value)), reject: (error) => reply.reject(error) };
      },
    });
  },

  behaviour: (behaviour, inner) =>
    ({
      receive(message: never) {
        const answer = behaviour.receive(message, inner);
        return isPromise(answer) ? answer.then(copyAnswer) : copyAnswer(answer);
      },
      ...(behaviour.control && {
        control: (message: never, _ctx: Context) => {
          const answer = behaviour.control?.(message, inner);
          return isPromise(answer) ? answer : copyAnswer(answer);
        },
      }),
      notice: (notice) => behaviour.notice?.(notice, inner),
      passivate: () => behaviour.passivate?.(inner),
      stop: (reason) => behaviour.stop?.(reason),
    }) satisfies Behaviour,
};
