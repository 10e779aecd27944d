/**
 * Listens to what actors hear and say, without any of them knowing: one wrapping for all who listen.
 */
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message, Notice } from '../../src/runtime/message.js';
import { type Wrapping, withParts } from '../../src/testing/wrapping.js';

export interface Listener {
  /** An actor of that name starts, or starts again from what it had handed over. */
  started?(name: string, saved: ReadonlyMap<string, unknown>): void;
  /** `by` is about to handle a message. */
  heard?(by: Context, message: Message): void;
  /** `by` is about to be told by the runtime. */
  noticed?(by: Context, notice: Notice): void;
  /** `by` is about to tell it. */
  told?(by: Context, to: ActorId, message: Message): void;
}

export const listening = (listeners: readonly Listener[]): Wrapping => ({
  start({ name }, saved) {
    for (const listener of listeners) listener.started?.(name, saved);
  },
  context: (ctx) =>
    withParts(ctx, {
      tell: (to, message, options) => {
        for (const listener of listeners) listener.told?.(ctx, to, message);
        return ctx.tell(to, message, options);
      },
    }),
  behaviour(behaviour, ctx) {
    const hear = (message: never): void => {
      for (const listener of listeners) listener.heard?.(ctx, message);
    };
    const heard: Behaviour = {
      receive: (message: never) => {
        hear(message);
        return behaviour.receive(message, ctx);
      },
      notice: (notice) => {
        for (const listener of listeners) listener.noticed?.(ctx, notice);
        behaviour.notice?.(notice, ctx);
      },
      passivate: () => behaviour.passivate?.(ctx),
      stop: (reason) => behaviour.stop?.(reason),
    };
    if (behaviour.control === undefined) return heard;
    heard.control = (message: never) => {
      hear(message);
      return behaviour.control?.(message, ctx);
    };
    return heard;
  },
});
