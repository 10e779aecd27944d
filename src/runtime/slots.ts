/**
 * The slots of one thread: where its actors live, and which generation each slot is at. No address is given twice.
 */
import { type ActorId, generationOf, MAX_GENERATION, slotOf } from './address.js';
import { BOARD_ACTORS } from './defaults.js';
import { ThreadFull } from './errors.js';

/** Generations that one life of the thread may use at a slot; 511 lives have room. */
const GENERATIONS_A_LIFE = 2 ** 12;
const LIVES = Math.floor(MAX_GENERATION / GENERATIONS_A_LIFE);

export class Slots<T> {
  readonly #thread: string;
  readonly #most: number;
  readonly #items: (T | undefined)[] = [];
  readonly #generations: number[] = [];
  /** In the order in which they became free, so that generations are used up evenly. */
  readonly #free = new Set<number>();
  readonly #first: number;
  readonly #last: number;

  /** `life` of the thread: generations of a later life begin above those of an earlier one. `most` actors live here. */
  constructor(thread: string, life: number, most = BOARD_ACTORS) {
    this.#thread = thread;
    this.#most = most;
    this.#first = (life % LIVES) * GENERATIONS_A_LIFE + 1;
    this.#last = this.#first + GENERATIONS_A_LIFE - 1;
  }

  /** A slot for a new actor. Throws `ThreadFull`. */
  take(): { slot: number; generation: number } {
    const [slot = this.#grow()] = this.#free;
    this.#free.delete(slot);
    const generation = (this.#generations[slot] as number) + 1;
    this.#generations[slot] = generation;
    return { slot, generation };
  }

  /** The slot that an actor had in an earlier life of the thread. */
  retake(id: ActorId): { slot: number; generation: number } {
    const slot = slotOf(id);
    while (this.#items.length <= slot) this.#free.add(this.#grow());
    if (!this.#free.delete(slot)) throw new Error(`slot ${slot} is taken`);
    return { slot, generation: generationOf(id) };
  }

  put(slot: number, item: T): void {
    this.#items[slot] = item;
  }

  get(slot: number): T | undefined {
    return this.#items[slot];
  }

  /** A slot whose generations are used up stays empty. */
  free(slot: number): void {
    this.#items[slot] = undefined;
    if ((this.#generations[slot] as number) < this.#last) this.#free.add(slot);
  }

  all(): T[] {
    return this.#items.filter((item): item is T => item !== undefined);
  }

  #grow(): number {
    const slot = this.#items.length;
    if (slot >= this.#most) throw new ThreadFull({ thread: this.#thread, actors: this.#most });
    this.#items.push(undefined);
    this.#generations.push(this.#first - 1);
    return slot;
  }
}
