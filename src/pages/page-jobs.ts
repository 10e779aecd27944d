/**
 * The jobs that open, read and write a folder of pages, on offload threads. Spills have one of their own, since its low
 * priority is for good.
 */
import { Offload } from '../runtime/offload.js';
import type { PagesAnswer, PagesJob } from './job.js';

/** What page files need of it. */
export type PageWork = Pick<PageJobs, 'run' | 'close'>;

const JOB = new URL('../jobs/pages.js', import.meta.url).href;

export class PageJobs {
  readonly #offload = new Offload();
  readonly #spills = new Offload({ threads: 1 });

  /** Settles as the job does, or rejects with AskTimeout. */
  run<What extends PagesJob['what']>(
    job: PagesJob & { readonly what: What },
    deadlineMs: number,
  ): Promise<PagesAnswer[What]> {
    const pool = job.what === 'spill' ? this.#spills : this.#offload;
    return pool.run<PagesAnswer[What]>(JOB, job, deadlineMs);
  }

  async close(): Promise<void> {
    await Promise.all([this.#offload.close(), this.#spills.close()]);
  }
}
