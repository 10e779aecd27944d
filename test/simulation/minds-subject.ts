/**
 * Simulates minds, broker and engine: eight minds on two lanes over a fake native engine, with cancelled turns, engines that
 * crash and come back, and everything that any actor can meet.
 */
import { substituteAddon } from '../../src/native/load.js';
import type { Random } from '../../src/testing/index.js';
import {
  describeFault,
  drawFault,
  SimulatedSystem,
  type SimulationOptions,
  type Subject,
  type SystemFault,
  spareThreads,
} from '../../src/testing/simulation/index.js';
import { Company, ENGINE_THREAD } from './company.js';
import { FakeAddon, type FakeContext, type NativeFault } from './fake-addon.js';
import { LaneOwners } from './lane-owners.js';

export type MindsFault = SystemFault | NativeFault;

const MESSAGES = 2_010;
/** So many of the first are such as come whatever becomes of the engine. */
const FAULTS = { least: 6, most: 8, ofSystem: 5 };
/** Faults come before so many messages, that all of them come. */
const LAST_FAULT = 1_900;
const THREADS = [
  { name: 'engine', host: false },
  { name: 'a', host: true },
  { name: 'b', host: true },
];
/** Longer than the longest step. */
const FROZEN_MS = 3_000;
const NATIVE: readonly string[] = ['slow-step', 'failed-step', 'engine-crash'];
const isNative = (fault: MindsFault): fault is NativeFault => NATIVE.includes(fault.kind);

const addon = new FakeAddon();

export interface PlantedInMinds extends Partial<SimulationOptions> {
  /** Something done to each native context, to see whether the checks find it. */
  readonly native?: (context: FakeContext) => void;
}

export const mindsSubject = ({
  native = () => {},
  ...planted
}: PlantedInMinds = {}): Subject<MindsFault> => ({
  name: 'minds',
  messages: MESSAGES,

  draw(random: Random): MindsFault[] {
    const count = random.between(FAULTS.least, FAULTS.most);
    const faults = Array.from({ length: count }, (_, i): MindsFault => {
      const at = random.between(1, LAST_FAULT);
      switch (i < FAULTS.ofSystem ? undefined : random.below(4)) {
        case 0:
          return { kind: 'slow-step', at, ms: random.between(10, 2_000) };
        case 1:
          return { kind: 'failed-step', at, noRoom: random.oneIn(3) };
        case 2:
          return { kind: 'engine-crash', at, refuses: random.oneIn(2) };
        default:
          return drawFault(random, LAST_FAULT, { lose: [2, 3, 4], freeze: [3, 4] });
      }
    });
    return spareThreads(faults);
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
      const wrappings = [owners, ...(planted.wrappings ?? [])];
      const sim = await SimulatedSystem.start({
        seed: trial.seed,
        threads: THREADS,
        faults: system,
        frozenMs: FROZEN_MS,
        ...planted,
        wrappings,
      });
      // The engine measures its steps by the machine's clock.
      performance.now = () => sim.stage.now;
      broken = (what) => sim.violations.add('lanes, cells and genes add up', what);
      const pass = (ms: number): void => {
        sim.stage.loop.now += ms;
      };
      addon.onContext = native;
      addon.reset(trial.faults.filter(isNative), {
        pass,
        broken,
        get messages() {
          return sim.messages;
        },
        get owner() {
          return sim.stage.thread(ENGINE_THREAD);
        },
      });
      return await new Company(sim, addon, owners, trial).run();
    } finally {
      performance.now = real;
    }
  },
});
