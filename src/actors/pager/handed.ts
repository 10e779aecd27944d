/**
 * Pages that were read into memory and handed to the broker, until it says that it has them: one that is lost before it has heard
 * of a page leaves it to nobody.
 */
export class Handed {
  readonly #pages = new Set<number>();

  add(page: number): void {
    this.#pages.add(page);
  }

  /** The broker has it, or it has been let go of. */
  remove(page: number): void {
    this.#pages.delete(page);
  }

  /** The broker was started again: those that the one before it did not take. */
  lost(): number[] {
    const lost = [...this.#pages];
    this.#pages.clear();
    return lost;
  }
}
