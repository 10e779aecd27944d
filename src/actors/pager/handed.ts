/**
 * Pages that were read into memory and handed to the broker, until it says that it has them: one that is lost before it has heard
 * of a page leaves it to nobody.
 */
import { releasePage } from '../../pages/page-files.js';

export class Handed {
  readonly #pages = new Set<number>();

  add(page: number): void {
    this.#pages.add(page);
  }

  /** The broker has it. */
  taken(page: number): void {
    this.#pages.delete(page);
  }

  /** Memory lets go of a page that nobody has taken over. */
  release(page: number): void {
    this.#pages.delete(page);
    releasePage(page);
  }

  /** The broker was started again: lets go of those that the one before it did not take. */
  releaseAll(): void {
    for (const page of this.#pages) this.release(page);
  }
}
