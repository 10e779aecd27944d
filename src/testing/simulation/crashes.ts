/**
 * Makes the handlers of certain messages throw.
 */
import type { Behaviour } from '../../runtime/actor.js';
import { isPromise } from '../../runtime/in-time.js';
import type { Wrapping } from '../wrapping.js';

export class Crashes implements Wrapping {
  readonly #next: () => 'before' | 'after' | undefined;

  /** `next`: whether the handler that is called now is to throw. */
  constructor(next: () => 'before' | 'after' | undefined) {
    this.#next = next;
  }

  context = <T>(ctx: T): T => ctx;

  behaviour(behaviour: Behaviour, ctx: Parameters<Behaviour['receive']>[1]): Behaviour {
    const failing = (handle: () => unknown): unknown => {
      const crash = this.#next();
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
}
