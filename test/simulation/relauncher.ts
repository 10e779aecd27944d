/**
 * Has the context made anew now and then, with more lanes or fewer, beside the turns: all that run give up their lanes, and go
 * on after it. Two may be asked for at once. In the end every one of them must have been answered.
 */
import { DeadlineExceeded, MailboxFull } from '../../src/errors.js';
import type { Stage } from '../../src/stage.js';
import { Random } from '../../src/testing/index.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';

const MOST_LANES = 3;
const DEADLINE_MS = 10_000;
/** Of one in so many: the turns that run may have yet to give up their lanes by then. */
const SHORT_MS = 60;
const SHORT_ONE_IN = 4;
/** So soon after turns were called they are given their lanes, and their rooms come in. */
const FIRST_MS = 4;
/** And by then they may run, or wait, or be on their way. */
const MOST_MS = 40;
/** The stream of a seed's random numbers that relaunches draw from. */
const RELAUNCHES = 11;

export class Relauncher {
  readonly #sim: SimulatedSystem;
  readonly #random: Random;
  readonly #asked: { readonly isShort: boolean; readonly answer: Promise<unknown> }[] = [];

  constructor(sim: SimulatedSystem, seed: number) {
    this.#sim = sim;
    this.#random = new Random(seed, RELAUNCHES);
  }

  /** Amid the turns that were just called. `shape`: cells and context stay. */
  async now(stage: Stage, shape: { readonly cells: number; readonly context: number }): Promise<void> {
    if (!this.#random.oneIn(4)) return;
    await this.#sim.stage.advance(this.#random.between(1, this.#random.oneIn(2) ? FIRST_MS : MOST_MS));
    const times = this.#random.between(1, 2);
    for (let i = 0; i < times; i++) {
      const wanted = { ...shape, lanes: this.#random.between(1, MOST_LANES) };
      const isShort = this.#random.oneIn(SHORT_ONE_IN);
      const deadlineMs = isShort ? this.#random.between(1, SHORT_MS) : DEADLINE_MS;
      const message = { type: 'relaunch', shape: wanted, deadlineMs };
      const asked = stage.system.ask(stage.mindArgs.broker, message, { deadlineMs: 2 * DEADLINE_MS });
      this.#asked.push({ isShort, answer: asked.catch((error: unknown) => error) });
    }
  }

  /** `disturbed`: they may have failed. */
  async look(disturbed: boolean): Promise<void> {
    for (const { isShort, answer: asked } of this.#asked) {
      const answer = await Promise.race([asked, nothing()]);
      const isRefused = answer instanceof MailboxFull || (isShort && answer instanceof DeadlineExceeded);
      const failed = answer instanceof Error && !isRefused && !disturbed;
      if (answer !== undefined && !failed) continue;
      const what = failed ? `a relaunch failed: ${(answer as Error).message}` : 'a relaunch was not answered';
      this.#sim.violations.add('every relaunch settles', what);
    }
  }
}

const nothing = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));
