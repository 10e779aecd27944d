/**
 * A first-in, first-out queue on a ring that grows by doubling. Not bounded: its owner is.
 */
const FIRST_SIZE = 8;

export class Ring<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#length === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#length) & (this.#items.length - 1)] = item;
    this.#length++;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#length--;
    return item;
  }

  peek(): T | undefined {
    return this.#length === 0 ? undefined : this.#items[this.#head];
  }

  /** The items in order, first out first. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = 0; i < this.#length; i++) {
      yield this.#items[(this.#head + i) & (this.#items.length - 1)] as T;
    }
  }

  #grow(): void {
    const old = this.#items;
    const grown: (T | undefined)[] = new Array(Math.max(FIRST_SIZE, old.length * 2)).fill(undefined);
    for (let i = 0; i < this.#length; i++) grown[i] = old[(this.#head + i) & (old.length - 1)];
    this.#items = grown;
    this.#head = 0;
  }
}
