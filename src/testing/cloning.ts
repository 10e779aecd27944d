/**
 * Clones every message and every answer also within a thread, as a line between threads does: an actor that changes what
 * it has sent, or what it was sent, then works here as little as it would across threads.
 */
import { type Behaviour, type Context, Refusal, type Reply } from '../runtime/actor.js';
import { isPromise } from '../runtime/in-time.js';
import type { Wrapping } from './wrapping.js';
import { withParts } from './wrapping.js';

const copy = <T>(value: T): T => structuredClone(value);

const copyAnswer = (value: unknown): unknown => (value instanceof Refusal ? value : copy(value));

export const cloning: Wrapping = {
  context: (ctx) =>
    withParts(ctx, {
      tell: (to, message, options) => ctx.tell(to, copy(message), options),
      ask: (to, message, options) => ctx.ask(to, copy(message), options),
      replyLater: () => {
        const reply: Reply = ctx.replyLater();
        return { resolve: (value) => reply.resolve(copy(value)), reject: (error) => reply.reject(error) };
      },
    }),

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
