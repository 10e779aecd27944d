/**
 * Ways to plant a fault in a simulation: in what crosses a line, in what an actor says, hears or waits for, or on disk.
 */
import { pagesPath } from '../../src/pages/layout.js';
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import { Band, type Message } from '../../src/runtime/message.js';
import { type Batch, ENTRY } from '../../src/runtime/wire.js';
import { type Wrapping, withParts } from '../../src/testing/wrapping.js';
import { DIR } from './fake-disk.js';
import type { FakeNative } from './minds-subject.js';

/** Calls `plant` for each message of a type. */
export function each(type: string, plant: (batch: Batch, at: number) => void): Plant {
  return (_to, batch) => {
    for (let at = batch.length - ENTRY; at >= 0; at -= ENTRY) {
      if ((batch[at + 4] as Message | undefined)?.type === type) plant(batch, at);
    }
  };
}

type Plant = (to: unknown, batch: Batch) => void;

export const both =
  (one: Plant, other: Plant): Plant =>
  (to, batch) => {
    one(to, batch);
    other(to, batch);
  };

/** Calls `plant` for each answer of a turn. */
export function answers(plant: (batch: Batch, at: number) => void): Plant {
  return (_to, batch) => {
    for (let at = batch.length - ENTRY; at >= 0; at -= ENTRY) {
      if ((batch[at + 4] as { receipt?: object } | undefined)?.receipt !== undefined) plant(batch, at);
    }
  };
}

export const remove = (batch: Batch, at: number): void => void batch.splice(at, ENTRY);
export const change =
  (fields: object) =>
  (batch: Batch, at: number): void =>
    void Object.assign(batch[at + 4] as object, fields);
export const removeIf =
  (is: (message: Record<string, unknown>) => boolean) =>
  (batch: Batch, at: number): void => {
    if (is(batch[at + 4] as Record<string, unknown>)) remove(batch, at);
  };
/** Puts `parts` in place of what an actor of that name has. */
export const within = (name: string, parts: (ctx: Context) => Partial<Context>): Wrapping => ({
  context: (ctx) => (ctx.name === name ? withParts(ctx, parts(ctx)) : ctx),
  behaviour: (behaviour) => behaviour,
});

/** Changes what an actor says before it does. */
export const saying = (
  name: string,
  said: (message: Message, ctx: Context, to: ActorId) => Message,
): Wrapping =>
  within(name, (ctx) => ({ tell: (to, message, options) => ctx.tell(to, said(message, ctx, to), options) }));

/** Has the residency let go of the genes of each grant as soon as that is given. */
export function unpinning(): Wrapping {
  let residency: ActorId | undefined;
  return saying('broker', (message, ctx, to) => {
    if (message.type === 'pin') residency = to;
    if (message.type === 'granted' && residency !== undefined) {
      ctx.tell(residency, { type: 'unpin', grant: message.grant }, { band: Band.reserved });
    }
    return message;
  });
}

/** Has the residency forget each pin as soon as it has said that it is there. */
export function forgetting(): Wrapping {
  let behaviour: Behaviour | undefined;
  const { context } = saying('residency', (message) => {
    const { grant } = message as Message & { readonly grant: number };
    if (message.type === 'pinned')
      queueMicrotask(() => behaviour?.control?.({ type: 'unpin', grant } as never, {} as never));
    return message;
  });
  return {
    context,
    behaviour(made, ctx) {
      if (ctx.name === 'residency') behaviour = made;
      return made;
    },
  };
}

/** Tells each mind that it waits when it has just been given a lane. */
export const takingBack = (): Wrapping =>
  within('broker', (ctx) => ({
    tell: (to, message, options) => {
      const told = ctx.tell(to, message, options);
      const { ticket } = message as Message & { readonly ticket: number };
      if (message.type === 'granted') ctx.tell(to, { type: 'queued', ticket, reason: 'lane' }, options);
      return told;
    },
  }));

/** Has an actor take what it is asked of these types, and never answer. */
export const silent = (name: string, types: readonly string[]): Wrapping => ({
  context: (ctx) => ctx,
  behaviour(behaviour, ctx) {
    if (ctx.name !== name) return behaviour;
    const receive = (message: never): unknown => {
      if (!types.includes((message as Message).type)) return behaviour.receive(message, ctx);
      ctx.replyLater();
      return undefined;
    };
    return { ...bound(behaviour, ctx), receive };
  },
});

const bound = (behaviour: Behaviour, ctx: Context): Behaviour => ({
  receive: (message: never) => behaviour.receive(message, ctx),
  control: (message: never) => behaviour.control?.(message, ctx),
  notice: (notice) => behaviour.notice?.(notice, ctx),
  stop: (reason) => behaviour.stop?.(reason),
});

export const startless = (name: string): Wrapping => ({
  context: (ctx) => ctx,
  behaviour: (behaviour) => behaviour,
  start(ctx) {
    if (ctx.name === name) throw new Error('as it was planted');
  },
});

/** Keeps some of what an actor says to itself. */
export const keeping = (name: string, is: (message: Record<string, unknown>) => boolean): Wrapping =>
  within(name, (ctx) => ({
    tell: (to, message, options) => is(message as never) || ctx.tell(to, message, options),
  }));

export const isRealtime = (message: Record<string, unknown>): boolean => message.class === 'realtime';
export const isReclaimed = ({ outcome }: Record<string, unknown>): boolean => outcome === 'reclaimed';
/** From the broker, not to it. */
export const isEngines = (message: Record<string, unknown>): boolean => !('deadlineMs' in message);

/** When the disk is full, what was on it goes. */
export function losing({ folder: { disk } }: FakeNative): void {
  for (const step of ['open', 'write', 'makeFolder'] as const) {
    const real = disk[step].bind(disk) as (...args: unknown[]) => never;
    disk[step] = (...args: unknown[]): never => {
      try {
        return real(...args);
      } catch (error) {
        const isFull = (error as { code?: string }).code === 'ENOSPC';
        if (isFull) for (const file of disk.paths(pagesPath(DIR))) disk.unlink(file);
        throw error;
      }
    };
  }
}
