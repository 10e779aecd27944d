/**
 * The jobs that open, read and write a folder of pages, on offload threads. Spills have one of their own, since its low
 * priority is for good.
 */
import { Offload } from '../runtime/offload.js';
import type { PagesAnswer, PagesJob, SpillLaneJob } from './job.js';
import { type Bringing, bringTo } from './pieces.js';
import type { PageFile } from './read.js';

/** What page files need of it. */
export type PageWork = Pick<PageJobs, 'run' | 'runWith' | 'close'>;

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

  /** The same of a job that has pieces brought. Nothing is granted until lanes are on disk: they have no low priority. */
  async runWith(job: SpillLaneJob, deadlineMs: number, bringing: Bringing): Promise<PageFile> {
    const { end, close } = bringTo(bringing);
    try {
      return await this.#offload.run(JOB, { ...job, pieces: end }, deadlineMs, { transfer: [end.port] });
    } finally {
      close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#offload.close(), this.#spills.close()]);
  }
}
