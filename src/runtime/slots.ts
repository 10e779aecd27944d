/**
 * The slots of one thread: where its actors live, and which generation each slot is at.
 */
import { type ActorId, generationOf, slotOf } from './address.js';

/** Addresses have 21 bits for the generation. */
const GENERATIONS_A_LIFE = 2 ** 12;

export class Slots<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #generations: number[] = [];
  readonly #free: number[] = [];
  readonly #firstGeneration: number;

  /** `life` of the thread: generations of a later life begin above those of an earlier one. */
  constructor(life: number) {
    this.#firstGeneration = life * GENERATIONS_A_LIFE + 1;
  }

  /** A slot for a new actor, or the one that `again` had. */
  take(again?: ActorId): { slot: number; generation: number } {
    if (again !== undefined) {
      const slot = slotOf(again);
      while (this.#items.length <= slot) {
        this.#free.push(this.#items.length);
        this.#items.push(undefined);
        this.#generations.push(this.#firstGeneration - 1);
      }
      const at = this.#free.indexOf(slot);
      if (at < 0) throw new Error(`slot ${slot} is taken`);
      this.#free.splice(at, 1);
      this.#generations[slot] = generationOf(again);
      return { slot, generation: generationOf(again) };
    }
    const slot = this.#free.pop() ?? this.#items.push(undefined) - 1;
    const generation = (this.#generations[slot] ?? this.#firstGeneration - 1) + 1;
    this.#generations[slot] = generation;
    return { slot, generation };
  }

  put(slot: number, item: T): void {
    this.#items[slot] = item;
  }

  get(slot: number): T | undefined {
    return this.#items[slot];
  }

  free(slot: number): void {
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  all(): T[] {
    return this.#items.filter((item): item is T => item !== undefined);
  }
}
