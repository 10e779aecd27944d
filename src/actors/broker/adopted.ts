/**
 * Pages that came from elsewhere, by number, until they are gone. They do not say themselves whose they are here, so that an engine
 * that was lost over one does not find it again.
 */
import type { Activity } from '../activity.js';
import type { PageRecord } from '../engine/protocol.js';

export class Adopted {
  readonly #records = new Map<number, PageRecord>();
  /** Those of which the engine has yet to say that it has them. */
  readonly #untold = new Set<number>();

  add(record: PageRecord): void {
    this.#records.set(record.page, record);
    this.#untold.add(record.page);
  }

  /** The engine has it. */
  told(page: number): void {
    this.#untold.delete(page);
  }

  /** The engine has it no more, or never will. */
  remove(page: number): void {
    this.#records.delete(page);
    this.#untold.delete(page);
  }

  /** A room was forgotten. The engine hears of that after it has heard of its page. */
  forget(activity: Activity): void {
    for (const record of this.#records.values()) {
      if (record.activity === activity) this.#records.delete(record.page);
    }
  }

  /** A new engine has these pages: answers those that it does not know of. One that it takes for another's is not ours any more. */
  unknownTo(pages: readonly PageRecord[]): PageRecord[] {
    const known = new Map(pages.map((record) => [record.activity, record.page]));
    this.#untold.clear();
    for (const { activity, page } of [...this.#records.values()]) {
      if ((known.get(activity) ?? page) !== page) this.#records.delete(page);
    }
    return [...this.#records.values()].filter(({ activity }) => !known.has(activity));
  }

  /** Who has a page that came: the `broker` alone, as long as the engine has not answered; undefined: nobody, or it is none. */
  whoHas(page: number): 'broker' | 'engine' | undefined {
    if (this.#untold.has(page)) return 'broker';
    return this.#records.has(page) ? 'engine' : undefined;
  }
}
