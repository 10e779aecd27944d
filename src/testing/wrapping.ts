/**
 * Puts something between an actor and the runtime, without either knowing: a context of which some parts are others, and
 * a definition whose behaviours are called through another.
 */
import type { Behaviour, Context, Definition } from '../runtime/actor.js';

/** The same context, but for `parts`. */
export function withParts(ctx: Context, parts: Partial<Context>): Context {
  const bound = new Map<string | symbol, unknown>(Object.entries(parts));
  return new Proxy(ctx, {
    get(target, key) {
      if (bound.has(key)) return bound.get(key);
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const method: unknown = value.bind(target);
      bound.set(key, method);
      return method;
    },
  });
}

export interface Wrapping {
  /** The context that the behaviour gets instead; called once a start. */
  context(ctx: Context): Context;
  /** The behaviour that is called instead; `ctx` is what `context` made. */
  behaviour(behaviour: Behaviour, ctx: Context): Behaviour;
  /** Told of each start, before it. */
  start?(ctx: Context, saved: ReadonlyMap<string, unknown>): void;
}

export function wrapped(definition: Definition, wrapping: Wrapping): Definition {
  return {
    kind: definition.kind,
    async start(ctx, args, saved) {
      wrapping.start?.(ctx, saved);
      const inner = wrapping.context(ctx);
      const behaviour = await definition.start(inner, args, saved);
      return wrapping.behaviour(behaviour, inner);
    },
  };
}
