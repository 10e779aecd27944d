/**
 * Pages that the broker needs in memory again, read from disk: what is read is the broker's, or nobody's.
 */
import { Progress } from '../../pages/progress.js';
import type { Context } from '../../runtime/actor.js';
import { toEnvelope } from '../../runtime/errors.js';
import type { BrokerToPager } from '../broker/protocol.js';
import type { Files } from './files.js';
import { tellOfDisk } from './post.js';
import type { PagerArgs } from './protocol.js';

/** A turn waits; a disk that takes longer than this for a page is slower than reading the room anew. */
const READ_MS = 120_000;

export class Reads {
  readonly #ctx: Context;
  readonly #args: PagerArgs;
  readonly #files: Files;
  readonly #running = new Map<number, Progress>();

  constructor(ctx: Context, args: PagerArgs, files: Files) {
    this.#ctx = ctx;
    this.#args = args;
    this.#files = files;
  }

  hear(message: BrokerToPager & { readonly type: 'read' | 'stop-reading' | 'taken' | 'release' }): void {
    if (message.type === 'read') void this.#read(message);
    else if (message.type === 'stop-reading') this.#running.get(message.read)?.stop();
    else if (message.type === 'taken') this.#files.handed.taken(message.page);
    else this.#files.release(message.page);
  }

  async #read({ read, file: { activity, file } }: BrokerToPager & { type: 'read' }): Promise<void> {
    const { name } = file;
    const began = performance.now();
    const progress = new Progress();
    this.#running.set(read, progress);
    try {
      const restored = await this.#files.folder.busy(
        `reading ${name} from disk`,
        READ_MS,
        (files, signal) => {
          const what = { name, fingerprint: this.#args.fingerprint };
          const read = files.restore(what, { deadlineMs: READ_MS, progress, signal });
          return this.#files.folder.change(name, files, read);
        },
      );
      const { page, charged: bytes, cells: held } = restored;
      const ms = performance.now() - began;
      const record = { activity, page, held, bytes };
      const word = { type: 'read', read, record, ms } as const;
      this.#files.handed.add(page);
      if (!tellOfDisk(this.#ctx, this.#args.broker, word)) return this.#files.release(page);
      this.#ctx.probe({ name: 'page.read', page: name, bytes, ms });
    } catch (error) {
      const envelope = toEnvelope(error);
      tellOfDisk(this.#ctx, this.#args.broker, { type: 'unread', read, activity, error: envelope });
      if (!progress.stopped) this.#ctx.probe({ name: 'page.unread', page: name, error: envelope });
    } finally {
      this.#running.delete(read);
    }
  }
}
