/**
 * Simulates supervisors: eight actors under three supervisors, of which two are children of the third, with strategies,
 * intensities and waits as the seed says, while children crash over and over, threads are lost and freeze.
 */
import type { Behaviour, Context, SpawnOptions } from '../../src/runtime/actor.js';
import { type ActorId, NOBODY } from '../../src/runtime/address.js';
// By its URL it is found only where it has been compiled.
import '../../src/runtime/supervisor.js';
import { STRATEGIES } from '../../src/runtime/strategy.js';
import { MAIN_THREAD, SUPERVISOR } from '../../src/runtime/well-known.js';
import { Random, type Wrapping } from '../../src/testing/index.js';
import {
  describeFault,
  drawFault,
  type Outcome,
  SimulatedSystem,
  type SimulationOptions,
  type Subject,
  type SystemFault,
  spareThreads,
  type Trial,
} from '../../src/testing/simulation/index.js';
import { gossip } from './gossip.js';
import { type Family, Kin, membersOf } from './kin.js';

/** The next handlers of an actor throw, one after the other. */
type Burst = { readonly kind: 'burst'; readonly at: number; readonly actor: number; readonly count: number };
export type SupervisorsFault = SystemFault | Burst;

const ACTORS = 8;
const MESSAGES = 2_010;
const LAST_FAULT = 1_900;
const FAULTS = { least: 6, most: 8 };
const THREADS = ['a', 'b', 'c'].map((name) => ({ name, host: true }));
const FIRST_HOST = 2;
const HOPS = 6;
const ROUND_MS = 40;
const MOST_ROUNDS = 400;
const FROZEN_MS = 400;
const FREEZES_TO_END = 3;
const QUIET_MS = 40_000;
const ROOT = 'root';
/** The stream of a seed's random numbers that families are drawn from. */
const FAMILIES = 7;

const named = (numbers: readonly number[]): string[] => numbers.map((number) => `gossip-${number}`);

function drawFamilies(seed: number): Map<string, Family> {
  const random = new Random(seed, FAMILIES);
  const family = (children: readonly string[]): Family => ({
    strategy: random.pick(STRATEGIES),
    children,
    intensity: { count: random.between(2, 5), withinMs: random.between(200, 2_000) },
    backoff: { firstMs: random.between(5, 20), mostMs: random.between(20, 200), jitter: 0.5 },
  });
  return new Map([
    [ROOT, family([...named([0, 1]), 'left', 'right'])],
    ['left', family(named([2, 3, 4]))],
    ['right', family(named([5, 6, 7]))],
  ]);
}

class House {
  readonly #sim: SimulatedSystem;
  readonly #trial: Trial<SupervisorsFault>;
  readonly #kin: Kin;
  readonly #families: ReadonlyMap<string, Family>;
  readonly #bursts: Map<string, number>;
  readonly #faults: Burst[];
  readonly #peers: ActorId[] = [];
  readonly #definition = gossip(this.#peers);
  #module = '';
  #occurred = 0;
  #caller: Context | undefined;

  constructor(
    sim: SimulatedSystem,
    trial: Trial<SupervisorsFault>,
    kin: Kin,
    families: ReadonlyMap<string, Family>,
    bursts: Map<string, number>,
  ) {
    this.#sim = sim;
    this.#trial = trial;
    this.#kin = kin;
    this.#families = families;
    this.#bursts = bursts;
    this.#faults = trial.faults.filter((fault): fault is Burst => fault.kind === 'burst');
  }

  async run(): Promise<Outcome> {
    const { stage } = this.#sim;
    const caller = { kind: 'caller', start: (ctx: Context) => this.#call(ctx) };
    await stage.spawn({ name: 'caller', actor: caller, thread: MAIN_THREAD });
    this.#module = await stage.module(this.#definition);
    await stage.module(SUPERVISOR);
    for (let round = 0; round < MOST_ROUNDS && this.#sim.messages < this.#trial.messages; round++) {
      if (!this.#names().has(ROOT)) await this.#raise();
      for (let actor = 0; actor < ACTORS; actor++) {
        this.#peers[actor] = this.#kin.ids.get(`gossip-${actor}`) ?? NOBODY;
      }
      for (const id of this.#peers) this.#caller?.tell(id, { type: 'ball', hops: HOPS });
      await stage.runUntil(() => this.#sim.messages >= this.#trial.messages, ROUND_MS);
      for (const fault of this.#faults.filter(({ at }) => at <= this.#sim.messages)) {
        this.#faults.splice(this.#faults.indexOf(fault), 1);
        this.#occurred++;
        this.#bursts.set(`gossip-${fault.actor}`, fault.count);
      }
    }
    this.#bursts.clear();
    await this.#sim.quiet(QUIET_MS);
    this.#look();
    const outcome = this.#sim.outcome();
    return { ...outcome, faults: outcome.faults + this.#occurred };
  }

  /** A family that gave up is made anew, as whoever uses it would. */
  async #raise(): Promise<void> {
    const options = this.#options(ROOT);
    await this.#sim.stage.spawn({ ...options, actor: SUPERVISOR }).catch(() => {});
  }

  #options(name: string): SpawnOptions {
    const family = this.#families.get(name);
    if (family === undefined) {
      const actor = Number(name.slice('gossip-'.length));
      return { name, module: this.#module, args: { seed: this.#trial.seed * ACTORS + actor } };
    }
    const children = family.children.map((child) => this.#options(child));
    return { name, module: SUPERVISOR, args: { ...family, children } };
  }

  #call(ctx: Context): Behaviour {
    this.#caller = ctx;
    return { receive() {} };
  }

  /** How many actors of each name there are. */
  #names(): Map<string, number> {
    const names = new Map<string, number>();
    for (const thread of this.#sim.stage.threads) {
      for (const { name } of thread.cells()) names.set(name, (names.get(name) ?? 0) + 1);
    }
    return names;
  }

  /** A supervisor that is there has all its children; one that is not has left none behind. */
  #look(): void {
    const names = this.#names();
    this.#kin.quiet((name) => names.has(name));
    if (this.#trial.faults.filter(({ kind }) => kind === 'freeze').length >= FREEZES_TO_END) return;
    const expected = names.has(ROOT) ? 1 : 0;
    for (const name of membersOf(this.#families, ROOT)) {
      const count = names.get(name) ?? 0;
      if (count === expected) continue;
      const what = `there are ${count} of ${name}, and ${expected} of its supervisor`;
      this.#sim.violations.add('a family is whole or gone', what);
    }
  }
}

/** Makes the handlers of those that a burst names throw. */
const bursting = (bursts: Map<string, number>): Wrapping => ({
  context: (ctx) => ctx,
  behaviour: (behaviour, ctx) => ({
    receive: (message: never) => {
      const left = bursts.get(ctx.name) ?? 0;
      if (left === 0) return behaviour.receive(message, ctx);
      bursts.set(ctx.name, left - 1);
      throw new Error('as the burst says');
    },
    control: (message: never) => behaviour.control?.(message, ctx),
    notice: (notice) => behaviour.notice?.(notice, ctx),
    passivate: () => behaviour.passivate?.(ctx),
    stop: (reason) => behaviour.stop?.(reason),
  }),
});

export interface PlantedInSupervisors extends Partial<SimulationOptions> {
  /** What the runtime is told of a family, where that is not what the checks believe. */
  readonly told?: (family: Family) => Family;
}

export const supervisorsSubject = ({
  told = (family) => family,
  ...planted
}: PlantedInSupervisors = {}): Subject<SupervisorsFault> => ({
  name: 'supervisors',
  messages: MESSAGES,

  draw(random: Random): SupervisorsFault[] {
    const count = random.between(FAULTS.least, FAULTS.most);
    const faults = Array.from({ length: count }, (): SupervisorsFault => {
      const at = random.between(1, LAST_FAULT);
      if (random.oneIn(3)) {
        return { kind: 'burst', at, actor: random.below(ACTORS), count: random.between(1, 8) };
      }
      return drawFault(random, LAST_FAULT, { lose: [2, 3, 4], freeze: [2, 3, 4] });
    });
    return spareThreads(faults);
  },

  describe(fault) {
    if (fault.kind !== 'burst') return describeFault(fault);
    return `message ${fault.at}: the next ${fault.count} handlers of gossip-${fault.actor} throw`;
  },

  async run(trial) {
    const faults = trial.faults.filter((fault): fault is SystemFault => fault.kind !== 'burst');
    const families = drawFamilies(trial.seed);
    const bursts = new Map<string, number>();
    const kin = new Kin(
      families,
      (property, what) => sim.violations.add(property, what),
      () => sim.stage.now,
    );
    const sim: SimulatedSystem = await SimulatedSystem.start({
      ...{ seed: trial.seed, threads: THREADS, faults, frozenMs: FROZEN_MS },
      ...{ wrappings: [bursting(bursts), kin], onLost: (thread: number) => kin.lost(thread) },
      ...planted,
    });
    sim.stage.system.onProbe(({ name, thread }) => {
      const place = THREADS.findIndex((plan) => plan.name === thread);
      if (name === 'thread.restarted') kin.back(FIRST_HOST + place);
    });
    const asTold = new Map([...families].map(([name, family]) => [name, told(family)]));
    return new House(sim, trial, kin, asTold, bursts).run();
  },
});
