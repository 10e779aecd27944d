/**
 * Pages that the broker needs in memory again, read from disk: what is read is the broker's, or nobody's.
 */
import { Progress } from '../../pages/progress.js';
import type { Context } from '../../runtime/actor.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { BrokerToPager, DiskWord, PagerToBroker } from '../broker/protocol.js';
import type { Files } from './files.js';
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

  hear(message: BrokerToPager): void {
    if (message.type === 'read') void this.#read(message);
    else if (message.type === 'stop-reading') this.#running.get(message.read)?.stop();
    else void this.#release(message.page);
  }

  async #read({ read, file: { activity, file } }: BrokerToPager & { type: 'read' }): Promise<void> {
    const { name } = file;
    const began = performance.now();
    const progress = new Progress();
    this.#running.set(read, progress);
    try {
      const restored = await this.#files.busy(`reading ${name} from disk`, READ_MS, (files) =>
        files.restore({ name, fingerprint: this.#args.fingerprint }, { deadlineMs: READ_MS, progress }),
      );
      const { page, charged: bytes, cells: held } = restored;
      const ms = performance.now() - began;
      const record = { activity, page, held, bytes };
      if (!this.#tell({ type: 'read', read, record, ms })) return await this.#release(page);
      this.#ctx.probe({ name: 'page.read', page: name, bytes, ms });
    } catch (error) {
      this.#tell({ type: 'unread', read, activity, error: toEnvelope(error) });
      if (!progress.stopped) this.#ctx.probe({ name: 'page.unread', page: name, error: toEnvelope(error) });
    } finally {
      this.#running.delete(read);
    }
  }

  async #release(page: number): Promise<void> {
    (await this.#files.open()).release(page);
  }

  #tell(word: DiskWord): boolean {
    const message: PagerToBroker = { type: 'disk', word };
    return this.#ctx.tell(this.#args.broker, { ...message }, { band: Band.reserved });
  }
}
