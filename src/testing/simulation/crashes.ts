/**
 * Makes the handlers of certain messages throw. An actor that crashes too often ends, and a system with a vital one: so those
 * are spared after as many crashes as they survive, and what was to befall them befalls another.
 */
import type { Behaviour, Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { RESTARTS } from '../../runtime/defaults.js';
import { isPromise } from '../../runtime/in-time.js';
import type { Wrapping } from '../wrapping.js';

export class Crashes implements Wrapping {
  readonly #next: () => 'before' | 'after' | undefined;
  readonly #vital: readonly string[];
  readonly #times = new Map<ActorId, number>();

  /** `next`: whether the handler that is called now is to throw; `vital`: names of those that must not end. */
  constructor(next: () => 'before' | 'after' | undefined, vital: readonly string[]) {
    this.#next = next;
    this.#vital = vital;
  }

  context = <T>(ctx: T): T => ctx;

  behaviour(behaviour: Behaviour, ctx: Parameters<Behaviour['receive']>[1]): Behaviour {
    const failing = (handle: () => unknown): unknown => {
      const crash = this.#isSpared(ctx) ? undefined : this.#next();
      if (crash !== undefined) this.#times.set(ctx.self, this.#timesOf(ctx.self) + 1);
      if (crash === 'before') throw new Error('as the seed says');
      const value = handle();
      if (crash === undefined) return value;
      if (isPromise(value)) {
        return value.then(() => {
          throw new Error('as the seed says, at last');
        });
      }
      throw new Error('as the seed says, afterwards');
    };
    return {
      receive: (message: never) => failing(() => behaviour.receive(message, ctx)),
      ...(behaviour.control && {
        control: (message: never) => failing(() => behaviour.control?.(message, ctx)),
      }),
      notice: (notice) => behaviour.notice?.(notice, ctx),
      passivate: () => behaviour.passivate?.(ctx),
      stop: (reason) => behaviour.stop?.(reason),
    };
  }

  #isSpared({ self, name }: Pick<Context, 'self' | 'name'>): boolean {
    return this.#vital.includes(name) && this.#timesOf(self) >= RESTARTS.count;
  }

  #timesOf(actor: ActorId): number {
    return this.#times.get(actor) ?? 0;
  }
}
