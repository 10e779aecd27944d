/**
 * Loads, replaces, moves and unloads genes while minds run them, through the face that a user of the system has. Knows which names
 * any turn may find missing.
 */
import type { GeneWork } from '../../src/actors/residency/gene-jobs.js';
import { Genes } from '../../src/genes.js';
import type { Stage } from '../../src/stage.js';
import { Random } from '../../src/testing/index.js';
import type { SimulatedSystem } from '../../src/testing/simulation/index.js';
import type { FakeAddon } from './fake-addon.js';
import { FakeJobs } from './fake-jobs.js';

/** The first is never unloaded, the others come and go. */
export const GENES = ['calm', 'terse', 'bold'] as const;
/** Whole paths, for their lengths are part of what pages take: a seed is the same wherever the project lies. */
const FOLDER = '/genes/';
/** Contents that a name may stand for. */
const CONTENTS = 2;
/** A change comes so long after the turns that were called, ms. */
const LATER_MS = 12;
/** What a call may end with; after faults also with that the residency was lost. */
const REFUSALS = ['GeneInUse', 'GeneNameTaken', 'GeneSlotsFull', 'NoSuchGene'];
const LOSSES = ['ActorCrashed', 'ActorEnded', 'AskTimeout', 'ThreadLost'];
/** The stream of a seed's random numbers that it draws from. */
const STREAM = 6;

export class GeneKeeper {
  readonly #sim: SimulatedSystem;
  readonly #addon: FakeAddon;
  readonly #random: Random;
  readonly #genes: Genes;
  readonly #open = new Set<string>();
  #jobs: FakeJobs | undefined;
  #calls = 0;

  constructor(sim: SimulatedSystem, addon: FakeAddon, seed: number, stage: () => Stage) {
    this.#sim = sim;
    this.#addon = addon;
    this.#random = new Random(seed, STREAM);
    this.#genes = new Genes(stage);
  }

  /** Genes that are there when the first mind is. */
  async begin(): Promise<void> {
    for (const name of GENES) {
      const load = () => this.#sim.stage.settle(this.#genes.load(`${FOLDER}${name}-0`, { name }));
      // A fault may come as early as that; whoever wants the gene asks again.
      await load().catch((error) => {
        if (!LOSSES.includes(error.code)) throw error;
        return load();
      });
    }
  }

  /** Something changes while the turns that were called last are under way. */
  change(disturbed: boolean): void {
    for (const name of GENES.slice(1)) {
      if (this.#random.oneIn(3)) continue;
      const call = `${++this.#calls} for ${name}`;
      this.#open.add(call);
      this.#sim.stage.system.main.clock.after(this.#random.below(LATER_MS), () => {
        this.#change(name).then(
          () => this.#open.delete(call),
          ({ code, message }) => {
            this.#open.delete(call);
            const allowed = REFUSALS.includes(code) || (disturbed && LOSSES.includes(code));
            if (!allowed)
              this.#sim.violations.add('genes come and go as they may', `call ${call}: ${message}`);
          },
        );
      });
    }
  }

  #change(name: string): Promise<unknown> {
    if (this.#random.oneIn(3)) return this.#genes.unload(name);
    if (this.#random.oneIn(3)) return this.#genes.pageOut(name);
    if (this.#random.oneIn(3)) return this.#genes.pageIn(name);
    const path = `${FOLDER}${name}-${this.#random.below(CONTENTS)}`;
    return this.#genes.load(path, { name, replace: this.#random.oneIn(2) });
  }

  /** All is quiet: nothing is loaded that has no name. */
  async look(): Promise<void> {
    const named = await this.#sim.stage.settle(this.#genes.list());
    const known = new Set(named.map(({ id }) => id));
    const lost = this.#addon.genes.list().filter(({ id }) => !known.has(id));
    if (lost.length > 0) {
      const what = `${lost.map(({ hash }) => hash).join(', ')} are loaded and have no name`;
      this.#sim.violations.add('genes come and go as they may', what);
    }
    for (const call of this.#open) {
      this.#sim.violations.add('genes come and go as they may', `call ${call} never ended`);
    }
  }

  /** In place of one residency's threads; those of a residency that was lost have ended before another one starts. */
  work(): GeneWork {
    this.#jobs?.lost();
    const jobs = new FakeJobs(this.#sim, this.#random);
    this.#jobs = jobs;
    return {
      load: (path) => jobs.run(() => this.#addon.loadGene(path)),
      unload: (gene) => jobs.run(() => void this.#addon.unloadGene(gene)),
      move: ({ gene, to }) => jobs.run(() => ({ moved: this.#addon.moveGene(gene, to), tMs: 0 })),
      moveInPlace: (gene, to) => void this.#addon.moveGene(gene, to),
      list: () => jobs.run(() => this.#addon.genes.list()),
      close: () => jobs.close(),
    };
  }
}
