/** An actor that asks on as it is told, and answers with what it was answered; for rings and chains of waits. */
import {
  type AskOptions,
  type Behaviour,
  type Context,
  type Reply,
  refuse,
} from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import type { Thread } from '../../src/runtime/thread.js';

export interface Asking extends Message {
  readonly to: ActorId;
  readonly message: Message;
  readonly options?: AskOptions;
}

export const ask = (to: ActorId, message: Message, options?: AskOptions): Asking => ({
  type: 'ask',
  to,
  message,
  ...(options && { options }),
});

/** `owe`, or `owe and ask`, takes its answer over, and `pay` on the control band gives it; anything else is answered by its type. */
export function asker(ctx: Context): Behaviour {
  let owed: Reply | undefined;
  return {
    async receive(message: Asking) {
      if (message.type.startsWith('owe')) owed = ctx.replyLater();
      if (message.type.endsWith('ask')) {
        return await ctx.ask(message.to, message.message, message.options).catch(refuse);
      }
      if (message.type === 'all') {
        const asks = (message.messages as Asking[]).map((each) => ctx.ask(each.to, each.message));
        return (await Promise.allSettled(asks)).map((each) =>
          each.status === 'rejected' ? each.reason.code : each.value,
        );
      }
      return message.type;
    },
    control(message: Message) {
      if (message.type === 'pay') owed?.resolve('paid');
      return message.type;
    },
  };
}

/** How an ask has settled: its value, or its error's code and message; undefined: not yet. */
export interface Outcome {
  of: unknown;
}

/** Asks as no actor does. */
export function outcomeOf(thread: Thread, id: ActorId, message: Message): Outcome {
  const outcome: Outcome = { of: undefined };
  thread.router.ask(0, id, message, { deadlineMs: 60_000 }).then(
    (value) => {
      outcome.of = value;
    },
    (error) => {
      outcome.of = `${error.code}: ${error.message}`;
    },
  );
  return outcome;
}
