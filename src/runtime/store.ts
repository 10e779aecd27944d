/**
 * The state store: what actors handed over, by actor and key, on the control thread, so that it survives their threads.
 */
import type { Behaviour, Context, Definition } from './actor.js';
import type { ActorId } from './address.js';

export type StoreMessage =
  | { readonly type: 'save'; readonly id: ActorId; readonly changes: readonly (readonly [string, unknown])[] }
  | { readonly type: 'load'; readonly id: ActorId }
  | { readonly type: 'drop'; readonly id: ActorId };

class Store implements Behaviour {
  readonly #states = new Map<ActorId, Map<string, unknown>>();

  receive(): void {}

  control(message: StoreMessage, _ctx: Context): ReadonlyMap<string, unknown> | undefined {
    switch (message.type) {
      case 'save': {
        const state = this.#states.get(message.id) ?? new Map<string, unknown>();
        for (const [key, value] of message.changes) {
          if (value === undefined) state.delete(key);
          else state.set(key, value);
        }
        this.#states.set(message.id, state);
        return undefined;
      }
      case 'load':
        return this.#states.get(message.id) ?? new Map();
      case 'drop':
        this.#states.delete(message.id);
        return undefined;
    }
  }
}

export const store: Definition = { kind: 'store', start: () => new Store() };
