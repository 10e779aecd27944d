/**
 * Those who have rooms leave their lanes or come back, beside the turns; and in the end whether every one of them was
 * answered, and whether broker and store know of the same pages.
 */
import type { PageRecord } from '../../src/actors/engine/protocol.js';
import type { Mind } from '../../src/mind.js';
import { Pages } from '../../src/paging.js';
import type { Stage } from '../../src/stage.js';
import { Random } from '../../src/testing/index.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';
import type { FakeAddon } from './fake-addon.js';
import { PAGE_BYTES } from './opening.js';

const DEADLINE_MS = 20_000;
/** What a move may end with when nothing is disturbed. */
const REFUSALS = ['EmptyLane', 'NoSuchPage', 'OverCeiling', 'PageMismatch', 'RoomBusy'];
const SETTLES = 'every move settles';
/** The stream of a seed's random numbers that moves draw from. */
const MOVES = 7;

export class PageKeeper {
  readonly #sim: SimulatedSystem;
  readonly #addon: FakeAddon;
  readonly #random: Random;
  readonly #moves: Promise<unknown>[] = [];

  constructor(sim: SimulatedSystem, addon: FakeAddon, seed: number) {
    this.#sim = sim;
    this.#addon = addon;
    this.#random = new Random(seed, MOVES);
  }

  /** Now and then has one of a mind's rooms move; whatever it answers, it must answer. */
  move(mind: Mind, stage: Stage): void {
    if (!this.#random.oneIn(10)) return;
    this.#moves.push(this.#moved(mind, stage).catch((error: unknown) => error));
  }

  #moved(mind: Mind, stage: Stage): Promise<unknown> {
    const room = `room-${this.#random.below(2)}`;
    const options = { room, deadline: DEADLINE_MS };
    if (this.#random.oneIn(2)) return mind.pageOut(options);
    if (this.#random.oneIn(2)) return mind.pageIn(options);
    const pages = new Pages(() => stage, new Map([[mind.name, mind]]));
    return pages.drop(mind.name, room).then(() => 'well');
  }

  async look({ system, mindArgs }: Stage, disturbed: boolean): Promise<void> {
    const { violations, stage } = this.#sim;
    // One that has crashed too often is gone, and its pages stay until the troupe ends.
    const hasEngine = stage.threads.some((thread) =>
      [...thread.cells()].some(({ name }) => name === 'engine'),
    );
    const known = await stage.settle(system.ask<readonly PageRecord[]>(mindArgs.broker, { type: 'pages' }));
    const ids = known.map(({ page }) => page).sort((a, b) => a - b);
    const there = this.#addon.pages.list();
    const { bytes } = this.#addon.pages.usage();
    if (hasEngine && (`${ids}` !== `${there}` || bytes > PAGE_BYTES)) {
      const what = `the broker knows of ${ids}, and the store has ${there} of ${bytes} bytes`;
      violations.add('pages add up', what);
    }
    for (const move of this.#moves) {
      const ended = await Promise.race([move, nothing()]);
      if (ended === undefined) violations.add(SETTLES, 'a room was told to move, and never was answered');
      const { code } = ended instanceof Error ? (ended as { code?: string }) : {};
      if (disturbed || code === undefined || REFUSALS.includes(code)) continue;
      violations.add(
        SETTLES,
        `a room was told to move, which ended with ${code}: ${(ended as Error).message}`,
      );
    }
  }
}

const nothing = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));
