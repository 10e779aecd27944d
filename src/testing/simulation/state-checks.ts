/**
 * State: what starts again begins from what was last handed over.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ActorId } from '../../runtime/address.js';
import type { Change } from '../../runtime/holdings.js';
import type { Violations } from './violations.js';

export class StateChecks {
  readonly #violations: Violations;
  readonly #states = new Map<ActorId, Map<string, unknown>>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  saved(actor: ActorId, changes: readonly Change[]): void {
    const state = this.#states.get(actor) ?? new Map<string, unknown>();
    this.#states.set(actor, state);
    for (const [key, value] of changes) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    }
  }

  started(actor: ActorId, saved: ReadonlyMap<string, unknown>): void {
    const expected = this.#states.get(actor) ?? new Map();
    if (isDeepStrictEqual(new Map(saved), expected)) return;
    const [found, wanted] = [saved, expected].map((state) => JSON.stringify([...state]).slice(0, 200));
    const what = `actor ${actor} started from ${found}; it had handed over ${wanted}`;
    this.#violations.add('a restart begins from the state handed over', what);
  }
}
