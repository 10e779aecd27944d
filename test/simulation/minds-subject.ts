/**
 * Simulates minds, broker and engine: eight minds on two lanes over a fake native engine, with cancelled turns, engines that
 * crash and come back, and everything that any actor can meet.
 */
import broker from '../../src/actors/broker/broker.js';
import engine from '../../src/actors/engine/engine.js';
import { createStatus, readLanes } from '../../src/actors/engine/status.js';
import mindActor from '../../src/actors/mind/mind.js';
import residency from '../../src/actors/residency/residency.js';
import { Mind } from '../../src/mind.js';
import { substituteAddon } from '../../src/native/load.js';
import { Reader } from '../../src/reader.js';
import type { ActorId } from '../../src/runtime/address.js';
import { CONTROL_THREAD } from '../../src/runtime/well-known.js';
import { Random } from '../../src/testing/index.js';
import {
  describeFault,
  drawFault,
  type Outcome,
  SimulatedSystem,
  type SimulationOptions,
  type Subject,
  type SystemFault,
  type Trial,
} from '../../src/testing/simulation/index.js';
import type { Turn } from '../../src/turn.js';
import { FakeAddon, type NativeFault, soloReply } from './fake-addon.js';
import { LaneOwners } from './lane-owners.js';

export type MindsFault = SystemFault | NativeFault;

const MINDS = 8;
const LANES = 2;
const CELLS = 384;
const CONTEXT = 256;
const MESSAGES = 2_010;
const FAULTS = { least: 6, most: 8 };
/** Faults come before so many messages, that all of them come. */
const LAST_FAULT = 1_900;
const ENGINE_THREAD = 2;
const THREADS = [
  { name: 'engine', host: false },
  { name: 'a', host: true },
  { name: 'b', host: true },
];
const DEADLINE_MS = 20_000;
const ROUND_MS = 400;
const MOST_ROUNDS = 200;
const QUIET_MS = 120_000;
/** The stream of a seed's random numbers that the callers draw from. */
const CALLERS = 5;

const NATIVE: readonly string[] = ['slow-step', 'failed-step', 'engine-crash'];
const isNative = (fault: MindsFault): fault is NativeFault => NATIVE.includes(fault.kind);

const addon = new FakeAddon();

interface Called {
  readonly number: number;
  readonly turn: Turn;
  cancelled: boolean;
}

class Company {
  readonly #sim: SimulatedSystem;
  readonly #owners: LaneOwners;
  readonly #random: Random;
  readonly #trial: Trial<MindsFault>;
  readonly #minds: Mind[] = [];
  readonly #called: Called[] = [];
  readonly #status = createStatus(LANES);

  constructor(sim: SimulatedSystem, owners: LaneOwners, trial: Trial<MindsFault>) {
    this.#sim = sim;
    this.#owners = owners;
    this.#trial = trial;
    this.#random = new Random(trial.seed, CALLERS);
  }

  async run(): Promise<Outcome> {
    await this.#open();
    for (let round = 0; round < MOST_ROUNDS && this.#sim.messages < this.#trial.messages; round++) {
      for (const mind of this.#minds) this.#call(mind);
      await this.#sim.stage.advance(this.#random.between(1, ROUND_MS));
      for (const called of this.#called) {
        if (!this.#random.oneIn(40)) continue;
        called.cancelled = true;
        called.turn.cancel();
      }
    }
    await this.#sim.quiet(QUIET_MS);
    await this.#look();
    const outcome = this.#sim.outcome();
    return { ...outcome, faults: outcome.faults + addon.occurred };
  }

  async #open(): Promise<void> {
    const { stage } = this.#sim;
    const brokerId = await stage.spawn({ name: 'broker', actor: broker, args: {}, thread: CONTROL_THREAD });
    const args = {
      ...{ model: 'fake', mmap: false, gpuLayers: 0, lanes: LANES, cells: CELLS, context: CONTEXT, rows: 64 },
      ...{ threads: 1, promptThreads: 1, flashAttention: false, broker: brokerId },
      status: this.#status,
    };
    const engineId = await stage.spawn({ name: 'engine', actor: engine, args, thread: ENGINE_THREAD });
    const reader = new Reader();
    const readerId = await stage.settle(
      stage.system.main.spawn(reader.definition, { name: 'reader', args: undefined }),
    );
    const residencyId = await stage.spawn({
      ...{
        name: 'residency',
        actor: residency,
        args: { default: [], engine: engineId },
        thread: CONTROL_THREAD,
      },
    });
    const mindArgs = {
      ...{ model: 1, modelName: 'fake', context: CONTEXT, engine: engineId, broker: brokerId },
      ...{ residency: residencyId, genes: [] },
    };
    let turns = 0;
    const face = {
      ...{ system: stage.system, reader, readerId, modelName: 'fake', mindArgs },
      ...{ nextTurn: () => ++turns, close() {} },
    };
    for (let i = 0; i < MINDS; i++) {
      const name = `mind-${i}`;
      const turnClass = (['realtime', 'interactive', 'background'] as const)[i % 3];
      const own = { ...mindArgs, name, system: `You are ${name}.`, sampling: {}, class: turnClass };
      const id: ActorId = await stage.spawn({ name, actor: mindActor, args: own });
      this.#minds.push(new Mind(name, id, face as never, () => {}));
    }
  }

  #call(mind: Mind): void {
    const text = `message ${this.#called.length}`;
    const options = {
      ...{ room: `room-${this.#random.below(2)}`, maxTokens: this.#random.between(1, 12) },
      ...{ sampling: { seed: 1 }, deadline: DEADLINE_MS },
    };
    const turn = mind.turn(text, options as never);
    this.#called.push({ number: this.#called.length + 1, turn, cancelled: false });
  }

  /** Every turn has ended, in a way that it may, and those that ran whole say what they say alone. */
  async #look(): Promise<void> {
    const { violations } = this.#sim;
    const lanes = readLanes(this.#status);
    const shown = lanes.reduce((sum, { held }) => sum + held, 0);
    const held = addon.context?.held ?? 0;
    if (held !== shown || held > CELLS || lanes.some(({ state }) => state === 'running')) {
      const states = lanes.map(({ state }) => state).join(', ');
      violations.add('lanes and cells add up', `${held} cells are held, ${shown} shown; lanes are ${states}`);
    }
    const disturbed = this.#trial.faults.length > 0;
    for (const { number, turn, cancelled } of this.#called) {
      const result = await Promise.race([turn.result, nothing()]);
      if (result === undefined) {
        violations.add('every turn settles', `turn ${number} has no result`);
        continue;
      }
      const { outcome, text, error } = result;
      const whole = outcome === 'stop' || outcome === 'length';
      const allowed = whole || (outcome === 'aborted' && cancelled) || (outcome === 'failed' && disturbed);
      if (!allowed) {
        const what = `turn ${number} ended ${outcome}: ${error?.message ?? 'no error'}`;
        violations.add('every turn ends as it may', what);
      }
      const prompt = this.#owners.prompts.get(number);
      const solo = prompt && soloReply(prompt.tokens, prompt.maxTokens);
      if (whole && text !== solo) {
        violations.add('a turn says what it says alone', `turn ${number} said ${text}; alone ${solo}`);
      }
    }
  }
}

const nothing = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));

export const mindsSubject = (planted: Partial<SimulationOptions> = {}): Subject<MindsFault> => ({
  name: 'minds',
  messages: MESSAGES,

  draw(random: Random): MindsFault[] {
    const count = random.between(FAULTS.least, FAULTS.most);
    return Array.from({ length: count }, () => {
      const at = random.between(1, LAST_FAULT);
      switch (random.below(8)) {
        case 0:
          return { kind: 'slow-step', at, ms: random.between(10, 2_000) };
        case 1:
          return { kind: 'failed-step', at, noRoom: random.oneIn(3) };
        case 2:
          return { kind: 'engine-crash', at, refuses: random.oneIn(2) };
        default:
          return drawFault(random, LAST_FAULT, [2, 3, 4]);
      }
    });
  },

  describe(fault) {
    switch (fault.kind) {
      case 'slow-step':
        return `message ${fault.at}: the next step takes ${fault.ms} ms`;
      case 'failed-step':
        return `message ${fault.at}: the next step fails${fault.noRoom ? ': no room' : ''}`;
      case 'engine-crash':
        return `message ${fault.at}: the next step crashes the engine${fault.refuses ? ', which is refused once' : ''}`;
      default:
        return describeFault(fault);
    }
  },

  async run(trial) {
    const real = performance.now;
    const system = trial.faults.filter((fault): fault is SystemFault => !isNative(fault));
    let broken: (what: string) => void = () => {};
    const owners = new LaneOwners((what) => broken(what));
    substituteAddon(addon);
    try {
      const wrappings = [owners];
      const sim = await SimulatedSystem.start({
        seed: trial.seed,
        threads: THREADS,
        faults: system,
        wrappings,
        ...planted,
      });
      // The engine measures its steps by the machine's clock.
      performance.now = () => sim.stage.now;
      broken = (what) => sim.violations.add('lanes and cells add up', what);
      const pass = (ms: number): void => {
        sim.stage.loop.now += ms;
      };
      const events = {
        pass,
        broken,
        get messages() {
          return sim.messages;
        },
      };
      addon.reset(trial.faults.filter(isNative), events);
      return await new Company(sim, owners, trial).run();
    } finally {
      performance.now = real;
    }
  },
});
