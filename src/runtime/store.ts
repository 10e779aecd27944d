/**
 * The state store: what actors handed over, by actor and key, on the control thread, so that it survives their threads.
 */
import type { Behaviour, Definition } from './actor.js';
import type { ActorId } from './address.js';
import type { Change } from './holdings.js';

export type StoreMessage =
  | { readonly type: 'save'; readonly id: ActorId; readonly changes: readonly Change[] }
  | { readonly type: 'load'; readonly id: ActorId }
  | { readonly type: 'drop'; readonly id: ActorId };

class Store implements Behaviour {
  readonly #states = new Map<ActorId, Map<string, unknown>>();

  receive(): void {}

  control(message: StoreMessage): ReadonlyMap<string, unknown> | undefined {
    switch (message.type) {
      case 'save':
        this.#save(message.id, message.changes);
        return undefined;
      case 'load':
        // A copy: an actor of this very thread may change what it is given.
        return structuredClone(this.#states.get(message.id) ?? new Map<string, unknown>());
      case 'drop':
        this.#states.delete(message.id);
        return undefined;
    }
  }

  #save(id: ActorId, changes: readonly Change[]): void {
    const state = this.#states.get(id) ?? new Map<string, unknown>();
    for (const [key, value] of changes) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    }
    if (state.size > 0) this.#states.set(id, state);
    else this.#states.delete(id);
  }
}

export const store: Definition = { kind: 'store', start: () => new Store() };
