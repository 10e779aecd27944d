/**
 * Those who have rooms go to disk and come back from there, or removed from it, or forgotten, beside the turns; and in the end
 * whether every one of them was answered as it may, and whether broker and disk know of the same pages.
 */
import type { Mind } from '../../src/mind.js';
import { removeSpilled } from '../../src/spilled.js';
import type { Stage } from '../../src/stage.js';
import { Random } from '../../src/testing/index.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';
import type { DiskWords } from './disk-words.js';
import type { FakeFolder } from './fake-folder.js';

const DEADLINE_MS = 20_000;
/** Of one call in so many: a slow disk, or a turn before it, takes longer. */
const SHORT_MS = 2_000;
const SHORT_ONE_IN = 4;
/** The stream of a seed's random numbers that spills draw from. */
const SPILLS = 13;
/** What it may end with when nothing is disturbed; a seed may have little room on disk. */
const REFUSALS = [
  'EmptyLane',
  'NoSuchPage',
  'OverCeiling',
  'OverDiskBudget',
  'PageMismatch',
  'NoSuchGene',
  'RoomBusy',
];
const SETTLES = 'every spill and recall settles';

interface Call {
  readonly what: string;
  readonly deadlineMs: number;
  readonly answer: Promise<unknown>;
}

export class DiskKeeper {
  readonly #sim: SimulatedSystem;
  readonly #folder: FakeFolder;
  readonly #words: DiskWords;
  readonly #random: Random;
  readonly #calls: Call[] = [];

  constructor(sim: SimulatedSystem, folder: FakeFolder, words: DiskWords, seed: number) {
    this.#sim = sim;
    this.#folder = folder;
    this.#words = words;
    this.#random = new Random(seed, SPILLS);
  }

  /** Now and then does something with one of a mind's rooms. */
  act(mind: Mind, stage: Stage): void {
    if (!this.#random.oneIn(6)) return;
    const room = `room-${this.#random.below(2)}`;
    const deadline = this.#random.oneIn(SHORT_ONE_IN) ? SHORT_MS : DEADLINE_MS;
    const options = { room, deadline };
    switch (this.#random.below(8)) {
      case 0:
        return this.#call(`recall of ${mind.name}/${room}`, mind.recall(options), deadline);
      case 1:
        return this.#call(`removal of ${mind.name}/${room}`, removeSpilled(stage, mind.name, room));
      case 2:
        return this.#call(`forgetting of ${mind.name}/${room}`, mind.forget(options), deadline);
      default:
        return this.#call(
          `spill of ${mind.name}/${room}`,
          mind.spill({ ...options, drop: this.#random.oneIn(2) }),
          deadline,
        );
    }
  }

  /** Takes over what a mind of that name has left on disk. */
  recallAll(mind: Mind): void {
    for (const room of ['room-0', 'room-1']) {
      this.#call(`recall of ${mind.name}/${room}`, mind.recall({ room, deadline: DEADLINE_MS }));
    }
  }

  async look(disturbed: boolean): Promise<void> {
    const { violations } = this.#sim;
    for (const { what, deadlineMs, answer } of this.#calls) {
      const ended = await Promise.race([answer, nothing()]);
      if (ended === undefined) violations.add(SETTLES, `the ${what} never was answered`);
      const { code } = ended instanceof Error ? (ended as { code?: string }) : {};
      const isShort = code === 'DeadlineExceeded' && deadlineMs === SHORT_MS;
      if (disturbed || code === undefined || isShort || REFUSALS.includes(code)) continue;
      violations.add(SETTLES, `the ${what} ended with ${code}: ${(ended as Error).message}`);
    }
    const names = this.#folder.names();
    const lost = this.#words.names().filter((name) => !names.includes(name));
    if (lost.length > 0 && !this.#words.haveLost) {
      violations.add('pages add up', `${lost.join(', ')} are taken to be on disk, and are not`);
    }
  }

  #call(what: string, answer: Promise<unknown>, deadlineMs = DEADLINE_MS): void {
    const ended = answer.then(
      () => 'well',
      (error: unknown) => error,
    );
    this.#calls.push({ what, deadlineMs, answer: ended });
  }
}

const nothing = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));
