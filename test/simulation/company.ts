/**
 * Eight minds on two lanes over the fake engine, and those who speak with them: turns called and cancelled, genes that come
 * and go meanwhile, and in the end what became of each turn.
 */

import broker from '../../src/actors/broker/broker.js';
import type { Budgets } from '../../src/actors/broker/pools.js';
import engine from '../../src/actors/engine/engine.js';
import { createStatus, readLanes } from '../../src/actors/engine/status.js';
import mindActor from '../../src/actors/mind/mind.js';
import pager from '../../src/actors/pager/pager.js';
import type { NamedGene } from '../../src/actors/residency/protocol.js';
import { residencyOver } from '../../src/actors/residency/residency.js';
import { Mind } from '../../src/mind.js';
import { Reader } from '../../src/reader.js';
import type { ActorId } from '../../src/runtime/address.js';
import { CONTROL_THREAD } from '../../src/runtime/well-known.js';
import type { Stage } from '../../src/stage.js';
import { Random, type TestSpawnOptions } from '../../src/testing/index.js';
import type { Outcome, SimulatedSystem, Trial } from '../../src/testing/simulation/index.js';
import type { Turn, TurnResult } from '../../src/turn.js';
import { TIGHT, UNBOUNDED } from '../actors/budgets.js';
import type { FakeAddon } from './fake-addon.js';
import { soloReply } from './fake-tokens.js';
import { GENES, GeneKeeper } from './gene-keeper.js';
import type { LaneOwners } from './lane-owners.js';
import { PAGE_BYTES, PageKeeper } from './page-keeper.js';
import { Relauncher } from './relauncher.js';

const MINDS = 8;
const LANES = 2;
const CELLS = 384;
const CONTEXT = 256;
/** Genes take a byte each: room for two of three on the device, and for one beside it. */
const SLOTS = 2;
const HOST_BYTES = 1;
export const ENGINE_THREAD = 2;
const DEADLINE_MS = 20_000;
const ROUND_MS = 400;
const MOST_ROUNDS = 200;
/** Tries to start a mind, and the wait between two. */
const MOST_TRIES = 5;
const AGAIN_MS = 1_000;
const QUIET_MS = 120_000;
/** The stream of a seed's random numbers that the callers draw from. */
const CALLERS = 5;

/** With three genes a turn wants more than there are slots. */
const GENES_ARE_NOT = ['NoSuchGene', 'OtherGenes', 'GeneSlotsFull'];

interface Called {
  readonly number: number;
  readonly turn: Turn;
  cancelled: boolean;
}

export class Company {
  readonly #sim: SimulatedSystem;
  readonly #addon: FakeAddon;
  readonly #owners: LaneOwners;
  readonly #random: Random;
  readonly #trial: Trial<unknown>;
  readonly #minds: Mind[] = [];
  readonly #called: Called[] = [];
  readonly #status = createStatus();
  readonly #genes: GeneKeeper;
  readonly #pages: PageKeeper;
  readonly #relaunches: Relauncher;
  #stage: Stage | undefined;

  constructor(sim: SimulatedSystem, addon: FakeAddon, owners: LaneOwners, trial: Trial<unknown>) {
    this.#sim = sim;
    this.#addon = addon;
    this.#owners = owners;
    this.#trial = trial;
    this.#random = new Random(trial.seed, CALLERS);
    this.#pages = new PageKeeper(sim, addon, trial.seed);
    this.#relaunches = new Relauncher(sim, trial.seed);
    this.#genes = new GeneKeeper(sim, addon, trial.seed, () => this.#stage as Stage);
  }

  async run(): Promise<Outcome> {
    this.#stage = await this.#open();
    await this.#genes.begin();
    await this.#startMinds(this.#stage);
    for (let round = 0; round < MOST_ROUNDS && this.#sim.messages < this.#trial.messages; round++) {
      for (const mind of this.#minds) {
        this.#call(mind);
        this.#pages.move(mind);
      }
      this.#genes.change(this.#disturbed);
      await this.#relaunches.now(this.#stage, { cells: CELLS, context: CONTEXT });
      this.#cancelSome(this.#called.slice(-MINDS), 12);
      await this.#sim.stage.advance(this.#random.between(1, ROUND_MS));
      this.#cancelSome(this.#called, 40);
    }
    await this.#sim.quiet(QUIET_MS);
    await this.#look();
    await this.#pages.look(this.#stage);
    await this.#relaunches.look(this.#disturbed);
    const outcome = this.#sim.outcome();
    return { ...outcome, faults: outcome.faults + this.#addon.occurred };
  }

  get #disturbed(): boolean {
    return this.#trial.faults.length > 0;
  }

  /** Every other seed is short of memory from the beginning. */
  #budgets(): Budgets {
    return this.#trial.seed % 2 === 0 ? TIGHT : UNBOUNDED;
  }

  async #open(): Promise<Stage> {
    const { stage } = this.#sim;
    const brokerId = await stage.spawn({
      ...{
        name: 'broker',
        actor: broker,
        args: { pageBytes: PAGE_BYTES, budgets: this.#budgets(), status: this.#status },
        thread: CONTROL_THREAD,
      },
    });
    const args = {
      ...{ model: 'fake', mmap: false, gpuLayers: 0, rows: 64, pageBytes: PAGE_BYTES, owner: 'it' },
      shape: { lanes: LANES, cells: CELLS, context: CONTEXT },
      ...{ threads: 1, promptThreads: 1, flashAttention: false, checkpointBytes: 0, broker: brokerId },
      status: this.#status,
    };
    const engineId = await stage.spawn({ name: 'engine', actor: engine, args, thread: ENGINE_THREAD });
    const pagerId = await stage.spawn({
      ...{ name: 'pager', actor: pager, args: { broker: brokerId, engine: engineId, diskBytes: 0 } },
      thread: CONTROL_THREAD,
    });
    const reader = new Reader();
    const readerId = await stage.settle(
      stage.system.main.spawn(reader.definition, { name: 'reader', args: undefined }),
    );
    const residencyId = await stage.spawn({
      ...{ name: 'residency', actor: residencyOver(() => this.#genes.work) },
      args: {
        default: [],
        slots: SLOTS,
        hostBytes: HOST_BYTES,
        model: 1,
        engine: engineId,
        broker: brokerId,
      },
      thread: CONTROL_THREAD,
    });
    const mindArgs = {
      ...{ model: 1, modelName: 'fake', limits: Int32Array.of(CONTEXT), engine: engineId, broker: brokerId },
      genes: [],
    };
    let turns = 0;
    return {
      ...{
        system: stage.system,
        reader,
        readerId,
        pager: pagerId,
        residency: residencyId,
        modelName: 'fake',
        mindArgs,
      },
      ...{ nextTurn: () => ++turns, pages: async () => [], close() {} },
    };
  }

  async #startMinds(stage: Stage): Promise<void> {
    for (let i = 0; i < MINDS; i++) {
      const name = `mind-${i}`;
      const turnClass = (['realtime', 'interactive', 'background'] as const)[i % 3];
      const genes = i % 4 === 3 ? [{ gene: GENES[0], scale: 1 }] : [];
      const own = { name, system: `You are ${name}.`, sampling: {}, class: turnClass, genes };
      const args = { ...stage.mindArgs, ...own, plainSystem: i % 2 === 0 };
      const id = await this.#startMind({ name, actor: mindActor, args });
      this.#minds.push(new Mind(name, id, stage, () => {}));
    }
  }

  /** The thread that it is to start on may be lost just then. */
  async #startMind(options: TestSpawnOptions): Promise<ActorId> {
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

  #call(mind: Mind): void {
    const text = `message ${this.#called.length}`;
    const genes = this.#phenotype();
    const options = {
      ...{ room: `room-${this.#random.below(2)}`, maxTokens: this.#random.between(1, 12) },
      ...{ sampling: { seed: 1 }, deadline: DEADLINE_MS },
    };
    const turn = mind.turn(text, genes === undefined ? options : { ...options, genes });
    this.#called.push({ number: this.#called.length + 1, turn, cancelled: false });
  }

  /** Each with this chance. */
  #cancelSome(turns: readonly Called[], oneIn: number): void {
    for (const called of turns) {
      if (!this.#random.oneIn(oneIn)) continue;
      called.cancelled = true;
      called.turn.cancel();
    }
  }

  /** undefined: the mind's own. */
  #phenotype(): NamedGene[] | undefined {
    if (!this.#random.oneIn(3)) return undefined;
    const genes = GENES.filter(() => this.#random.oneIn(2));
    return genes.map((gene) => ({ gene, scale: this.#random.oneIn(2) ? 1 : 0.5 }));
  }

  async #look(): Promise<void> {
    if (this.#owners.granted > 0) {
      const what = `${this.#owners.granted} lanes are granted, and no turn is there`;
      this.#sim.violations.add('lanes, cells and genes add up', what);
    }
    const lanes = readLanes(this.#status);
    const shown = lanes.reduce((sum, { held }) => sum + held, 0);
    const { held, taken } = this.#addon.context ?? { held: 0, taken: 0 };
    if (held !== shown || taken > CELLS || lanes.some(({ state }) => state === 'running')) {
      const states = lanes.map(({ state }) => state).join(', ');
      const what = `${held} tokens are held, ${shown} shown, in ${taken} cells; lanes are ${states}`;
      this.#sim.violations.add('lanes, cells and genes add up', what);
    }
    await this.#genes.look();
    for (const called of this.#called) {
      const result = await Promise.race([called.turn.result, nothing()]);
      if (result !== undefined) this.#lookAt(called, result);
      else this.#sim.violations.add('every turn settles', `turn ${called.number} has no result`);
    }
  }

  /** A turn ends in a way that it may, and one that ran whole says what it says alone. */
  #lookAt({ number, cancelled }: Called, { outcome, text, error }: TurnResult): void {
    const { violations } = this.#sim;
    const whole = outcome === 'stop' || outcome === 'length';
    // No gene goes that a turn has pinned, unless its pin is forgotten.
    const isPinned = error?.code === 'GeneAbsent' && this.#owners.residencies === 1;
    const mayFail = GENES_ARE_NOT.includes(error?.code ?? '') || (this.#disturbed && !isPinned);
    const allowed = whole || (outcome === 'aborted' && cancelled) || (outcome === 'failed' && mayFail);
    if (!allowed) {
      const what = `turn ${number} ended ${outcome}: ${error?.message ?? 'no error'}`;
      violations.add('every turn ends as it may', what);
    }
    const run = this.#owners.runs.get(number);
    const solo = run && soloReply(run);
    if (whole && text !== solo) {
      violations.add('a turn says what it says alone', `turn ${number} said ${text}; alone ${solo}`);
    }
  }
}

const nothing = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));
