/**
 * Whose the pages on disk are: of the minds that wrote them, or took them over. The broker's book is of what it was told, and
 * a word may be lost; who forgets a room has to know of its file even so. What was there before is of nobody here.
 */
import { TroupeError } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';

/** What the keys of owners in the saved state begin with. */
const OWNER = 'owner/';
/** After these the page that was to be written may be there; after others of ours what was there is as it was. */
const MAY_BE_THERE = ['DiskFailure', 'PublicationUnfinished', 'AskTimeout'];

export class Owners {
  readonly #ctx: Pick<Context, 'save'>;
  /** By the names of pages. */
  readonly #minds = new Map<string, ActorId>();

  /** `saved`: of a pager before this one. */
  constructor(ctx: Pick<Context, 'save'>, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    for (const [key, mind] of saved) {
      if (key.startsWith(OWNER)) this.#minds.set(key.slice(OWNER.length), mind as ActorId);
    }
  }

  of(name: string): ActorId | undefined {
    return this.#minds.get(name);
  }

  /** `mind`: whose it is now; undefined: it is gone, or of nobody here. */
  set(name: string, mind: ActorId | undefined): void {
    if (mind === undefined) this.#minds.delete(name);
    else this.#minds.set(name, mind);
    this.#ctx.save(OWNER + name, mind);
  }

  /** Settles as `written` does: it is the mind's from now on, and stays so where it may be there although writing it failed. */
  async writing<T>(name: string, mind: ActorId, written: Promise<T>): Promise<T> {
    const before = this.of(name);
    this.set(name, mind);
    try {
      const file = await written;
      // One that was removed meanwhile is there again.
      this.set(name, mind);
      return file;
    } catch (error) {
      const isAsItWas = error instanceof TroupeError && !MAY_BE_THERE.includes(error.code);
      if (isAsItWas) this.set(name, before);
      throw error;
    }
  }
}
