/**
 * Stands for an offload pool: a job is done some time later, on the main thread. Ends as a pool does, whose threads are ended in
 * the midst of their jobs: what had begun is still done and answers nobody, what had not never is, and the end waits for both.
 */
import { ActorEnded } from '../../src/runtime/errors.js';
import type { Random } from '../../src/testing/index.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';

/** Jobs take up to so long, ms; about as long as turns do here. */
const JOB_MS = 4;

interface Job {
  /** Its time has come, if it was not dropped before. */
  due(): void;
  drop(): void;
}

export class FakeJobs {
  readonly #sim: SimulatedSystem;
  readonly #random: Random;
  readonly #under = new Set<Job>();
  readonly #waiting: (() => void)[] = [];
  #closed = false;

  constructor(sim: SimulatedSystem, random: Random) {
    this.#sim = sim;
    this.#random = random;
  }

  run<T>(work: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      const job: Job = {
        due: () => {
          if (!this.#under.delete(job)) return;
          try {
            const result = work();
            if (this.#closed) reject(ended());
            else resolve(result);
          } catch (error) {
            reject(error);
          }
          this.#tellWaiting();
        },
        drop: () => {
          this.#under.delete(job);
          reject(ended());
        },
      };
      this.#under.add(job);
      this.#sim.stage.system.main.clock.after(this.#random.below(JOB_MS), () => job.due());
    });
  }

  /** Settles when no job is under way. */
  close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#under) if (this.#random.oneIn(2)) job.drop();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#tellWaiting();
    });
  }

  /** The thread that it was made on is gone, and its own with it: they end before anyone hears of it. */
  lost(): void {
    this.#closed = true;
    for (const job of this.#under) job[this.#random.oneIn(2) ? 'drop' : 'due']();
  }

  #tellWaiting(): void {
    if (this.#under.size === 0) for (const settle of this.#waiting.splice(0)) settle();
  }
}

const ended = (): Error => new ActorEnded({ actor: 'the jobs', reason: 'their pool is closed' });
