/**
 * Eight minds on two lanes over the fake engine, and all that is done with them: turns called and cancelled, rooms that move
 * and go to disk, genes that come and go, contexts made anew, minds that leave and come back; and in the end what became of
 * it.
 */
import type { Budgets } from '../../src/actors/broker/pools.js';
import { createStatus, readLanes } from '../../src/actors/engine/status.js';
import mindActor from '../../src/actors/mind/mind.js';
import { Mind } from '../../src/mind.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Stage } from '../../src/stage.js';
import { Random, type TestSpawnOptions } from '../../src/testing/index.js';
import type { Outcome, SimulatedSystem, Trial } from '../../src/testing/simulation/index.js';
import { Callers } from './callers.js';
import { DiskKeeper } from './disk-keeper.js';
import type { FakeAddon } from './fake-addon.js';
import { ADD_UP } from './fake-context.js';
import type { FakeFolder } from './fake-folder.js';
import { GENES, GeneKeeper } from './gene-keeper.js';
import { lookAtLeases } from './leases-look.js';
import { CELLS, CONTEXT, openCompany, PAGE_BYTES } from './opening.js';
import { PageKeeper } from './page-keeper.js';
import { Relauncher } from './relauncher.js';
import { lookAtReport } from './report-look.js';
import type { Witnesses } from './witnesses.js';

const MINDS = 8;
const ROUND_MS = 400;
const MOST_ROUNDS = 200;
/** Tries to start a mind, and the wait between two: a thread that is lost and frozen at once is away for longer than it takes to find that. */
const MOST_TRIES = 30;
const AGAIN_MS = 1_000;
const QUIET_MS = 120_000;
/** One round in so many a mind leaves, and another comes in its place. */
const LEAVE_ONE_IN = 10;
/** The stream of a seed's random numbers that the rounds draw from. */
const ROUNDS = 15;

/** What the native side is made of. */
export interface Fakes {
  readonly addon: FakeAddon;
  readonly folder: FakeFolder;
}

/** A few pages, or a gene and a page, are more than the host's; and some rooms more than the disk's. */
const TIGHT: Budgets = { device: undefined, host: 2_000, disk: 4_000 };
const AMPLE: Budgets = { device: undefined, host: 2 ** 50, disk: 2 ** 50 };

/** Subjects take turns by the last bits of a seed: those say nothing of what it is like. */
const isTight = (seed: number): boolean => Math.floor(seed / 4) % 2 === 0;

export class Company {
  readonly #sim: SimulatedSystem;
  readonly #fakes: Fakes;
  readonly #witnesses: Witnesses;
  readonly #random: Random;
  readonly #trial: Trial<unknown>;
  readonly #minds: Mind[] = [];
  readonly #status = createStatus();
  readonly #callers: Callers;
  readonly #genes: GeneKeeper;
  readonly #pages: PageKeeper;
  readonly #disk: DiskKeeper;
  readonly #relaunches: Relauncher;
  #stage: Stage | undefined;

  constructor(sim: SimulatedSystem, fakes: Fakes, witnesses: Witnesses, trial: Trial<unknown>) {
    const { seed, messages } = trial;
    this.#sim = sim;
    this.#fakes = fakes;
    this.#witnesses = witnesses;
    this.#trial = trial;
    this.#random = new Random(seed, ROUNDS);
    this.#callers = new Callers(sim, witnesses, seed, messages);
    this.#pages = new PageKeeper(sim, fakes.addon, seed);
    this.#disk = new DiskKeeper(sim, fakes.folder, witnesses.words, seed);
    this.#relaunches = new Relauncher(sim, seed);
    this.#genes = new GeneKeeper(sim, fakes.addon, seed, () => this.#stage as Stage);
  }

  /** `opened`: told of the stage before anything happens there. */
  async run(opened: (stage: Stage) => void): Promise<Outcome> {
    const stage = await this.#open();
    // A troupe would fail as a whole; here the others are to come through it.
    this.#sim.stage.system.onProbe(({ name, actor }) => {
      const isGone = name === 'actor.given_up' || name === 'actor.lost';
      if (isGone && actor === 'engine') this.#witnesses.owners.engineGone();
    });
    opened(stage);
    this.#stage = stage;
    await this.#genes.begin();
    for (let i = 0; i < MINDS; i++) this.#minds.push(await this.#startMind(stage, i));
    for (let round = 0; round < MOST_ROUNDS && this.#sim.messages < this.#trial.messages; round++) {
      for (const mind of this.#minds) {
        this.#callers.call(mind);
        this.#pages.move(mind, stage);
        this.#disk.act(mind, stage);
      }
      this.#genes.change(this.#disturbed);
      lookAtReport(this.#sim, stage);
      await this.#relaunches.now(stage, { cells: CELLS, context: CONTEXT });
      this.#callers.cancelSome(MINDS, 12);
      await this.#sim.stage.advance(this.#random.between(1, ROUND_MS));
      this.#callers.cancelSome(10 * MINDS, 40);
      if (this.#random.oneIn(LEAVE_ONE_IN)) await this.#replace(stage, this.#random.below(MINDS));
    }
    await this.#sim.quiet(QUIET_MS);
    await this.#look(stage);
    const outcome = this.#sim.outcome();
    return { ...outcome, faults: this.#faults, moments: this.#witnesses.moments() };
  }

  /** Between two steps. */
  step(): void {
    this.#callers.step(this.#faults, this.#fakes.folder.isSlow);
    this.#witnesses.look();
  }

  get #faults(): number {
    const { addon, folder } = this.#fakes;
    return this.#sim.faults + addon.occurred + folder.occurred;
  }

  get #disturbed(): boolean {
    return this.#trial.faults.length > 0;
  }

  /** Half of the seeds are short of memory, and of room on disk, from the beginning. */
  #open(): Promise<Stage> {
    const { addon, folder } = this.#fakes;
    addon.pages.setCeiling(PAGE_BYTES);
    return openCompany(this.#sim.stage, {
      budgets: isTight(this.#trial.seed) ? TIGHT : AMPLE,
      status: this.#status,
      genes: () => this.#genes.work(),
      pages: () => folder.workOn(addon.pages),
    });
  }

  async #startMind(stage: Stage, i: number): Promise<Mind> {
    const name = `mind-${i}`;
    const turnClass = (['realtime', 'interactive', 'background'] as const)[i % 3];
    const genes = i % 4 === 3 ? [{ gene: GENES[0], scale: 1 }] : [];
    const own = {
      name,
      system: `You are ${name}.`,
      sampling: {},
      class: turnClass,
      genes,
    };
    const args = { ...stage.mindArgs, ...own, plainSystem: i % 2 === 0 };
    const id = await this.#start({ name, actor: mindActor, args });
    return new Mind(name, id, stage, () => {});
  }

  /** The thread that it is to start on may be lost just then. */
  async #start(options: TestSpawnOptions): Promise<ActorId> {
    const { stage } = this.#sim;
    for (let tries = 1; ; tries++) {
      try {
        return await stage.spawn(options);
      } catch (error) {
        if (!this.#disturbed || tries === MOST_TRIES) throw error;
      }
      await stage.advance(AGAIN_MS);
    }
  }

  /** A mind leaves, and another of its name takes over what it has left on disk. */
  async #replace(stage: Stage, i: number): Promise<void> {
    const mind = this.#minds[i] as Mind;
    this.#callers.leaves(mind);
    try {
      await this.#sim.stage.settle(mind.leave());
    } catch (error) {
      if (!this.#disturbed) throw error;
      // Its thread is lost just then: it stays.
      return;
    }
    const next = await this.#startMind(stage, i);
    this.#minds[i] = next;
    this.#disk.recallAll(next);
  }

  async #look(stage: Stage): Promise<void> {
    this.#lookAtLanes();
    await this.#genes.look();
    await this.#callers.look(this.#disturbed);
    await this.#pages.look(stage, this.#disturbed);
    await this.#relaunches.look(this.#disturbed);
    await this.#disk.look(this.#disturbed);
    const { addon, folder } = this.#fakes;
    await lookAtLeases(this.#sim, addon, stage, folder.hasOrphans);
  }

  /** All is quiet: nothing is held back. */
  #lookAtLanes(): void {
    const { violations } = this.#sim;
    const { owners, holders } = this.#witnesses;
    for (const [count, what] of [
      [owners.granted, 'lanes are granted'],
      [holders.size, 'grants hold genes'],
    ] as const) {
      if (count > 0)
        violations.add('in the end nothing is held back', `${count} ${what}, and no turn is there`);
    }
    const lanes = readLanes(this.#status);
    const shown = lanes.reduce((sum, { held }) => sum + held, 0);
    const { held, taken } = this.#fakes.addon.context ?? { held: 0, taken: 0 };
    if (held !== shown || taken > CELLS || lanes.some(({ state }) => state === 'running')) {
      const states = lanes.map(({ state }) => state).join(', ');
      violations.add(
        ADD_UP,
        `${held} tokens are held, ${shown} shown, in ${taken} cells; lanes are ${states}`,
      );
    }
  }
}
