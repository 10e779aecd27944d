/**
 * Files of pages that go, and with them what the pager's books and the broker's know of them.
 */
import type { Context } from '../../runtime/actor.js';
import { unlessAborted } from './disk-waits.js';
import type { Folder } from './folder.js';
import type { Loans } from './loans.js';
import type { Owners } from './owners.js';
import { tellOfDisk } from './post.js';
import type { PagerArgs } from './protocol.js';

export interface RemovalsOf {
  readonly folder: Folder;
  readonly loans: Loans;
  readonly owners: Owners;
}

export class Removals {
  readonly #ctx: Context;
  readonly #args: PagerArgs;
  readonly #of: RemovalsOf;

  constructor(ctx: Context, args: PagerArgs, of: RemovalsOf) {
    this.#ctx = ctx;
    this.#args = args;
    this.#of = of;
  }

  /** Rejects as `PageFiles.remove`, and with DeadlineExceeded; a removal that has begun by then goes on. */
  async remove(name: string, deadlineMs: number): Promise<undefined> {
    await this.#of.folder.waits.during(`removing ${name} from disk`, deadlineMs, (signal) =>
      unlessAborted(this.#removed(name, signal), signal),
    );
    return undefined;
  }

  async #removed(name: string, signal: AbortSignal): Promise<void> {
    const { folder, loans, owners } = this.#of;
    const files = await folder.open();
    await folder.change(name, files, files.remove(name, signal));
    folder.disk.removed(name);
    loans.end(name);
    owners.set(name, undefined);
    tellOfDisk(this.#ctx, this.#args.broker, { type: 'removed', name });
  }
}
