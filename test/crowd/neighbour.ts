/** Somebody else in the process who takes memory and gives it back: bytes in the store of pages that no troupe made. */
import { SectionKind } from '../../src/native/pages.js';
import { addon } from '../native/fixtures.js';

export class Neighbour {
  readonly #ceiling: number;
  #page: number | undefined;

  /** `ceiling`: what the others' pages may take, which they may beside it too. */
  constructor(ceiling: number) {
    this.#ceiling = ceiling;
  }

  /** Holds so many bytes from now on, in place of what it held. */
  hold(bytes: number): void {
    const { pages } = addon;
    if (this.#page !== undefined) pages.release(this.#page);
    this.#page = undefined;
    pages.setCeiling(this.#ceiling + bytes);
    if (bytes === 0) return;
    const sections = [{ kind: SectionKind.kv, bytes }];
    pages.setCeiling(Number.POSITIVE_INFINITY);
    this.#page = pages.create({ fingerprint: 'none', cells: 1, sections });
    pages.setCeiling(this.#ceiling + (pages.info(this.#page)?.bytes ?? 0));
  }
}
