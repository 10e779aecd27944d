/**
 * Which actors are children of which, as the directory knows it: nobody's child outlives its supervisor.
 */
import { type ActorId, threadOf } from './address.js';

export class Kin {
  /** Names of the children, in the order in which they were spawned. */
  readonly #children = new Map<ActorId, Set<string>>();

  add(parent: ActorId, name: string): void {
    const names = this.#children.get(parent);
    if (names === undefined) this.#children.set(parent, new Set([name]));
    else names.add(name);
  }

  delete(parent: ActorId, name: string): void {
    const names = this.#children.get(parent);
    if (names?.delete(name) && names.size === 0) this.#children.delete(parent);
  }

  /** The last one first. */
  of(parent: ActorId): string[] {
    return [...(this.#children.get(parent) ?? [])].reverse();
  }

  parentsOn(thread: number): ActorId[] {
    return [...this.#children.keys()].filter((parent) => threadOf(parent) === thread);
  }
}
