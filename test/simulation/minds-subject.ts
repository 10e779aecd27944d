/**
 * Simulates minds, broker, residency, pager and engine: eight minds on two lanes over a fake native engine and a fake disk, with
 * cancelled turns, engines that crash and come back, disks that fail, and everything that any actor can meet.
 */
import { substituteAddon } from '../../src/native/load.js';
import type { Stage } from '../../src/stage.js';
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
import { Company } from './company.js';
import { FakeAddon, type NativeFault } from './fake-addon.js';
import type { FakeContext } from './fake-context.js';
import { type DiskFault, FakeFolder } from './fake-folder.js';
import { ENGINE_THREAD } from './opening.js';
import { Witnesses } from './witnesses.js';

export type MindsFault = SystemFault | NativeFault | DiskFault;

const MESSAGES = 2_010;
/** So many of the first are such as come whatever becomes of engine and disk. */
const FAULTS = { least: 7, most: 11, ofSystem: 5 };
/** Faults come before so many messages, that all of them come. */
const LAST_FAULT = 1_900;
const THREADS = [
  { name: 'engine', host: false },
  { name: 'a', host: true },
  { name: 'b', host: true },
];
/** Actors that are vital in a troupe. */
const CORE = ['engine', 'broker', 'residency', 'pager'];
/** Longer than the longest step. */
const FROZEN_MS = 3_000;
/** More than some jobs on files have time for, and less than a wait may go on beyond its deadline. */
const SLOW_MS = 9_000;
/** Changes to files that a spill makes, about. */
const SPILL_STEPS = 40;
const NATIVE: readonly string[] = ['slow-step', 'failed-step', 'engine-crash', 'pressure'];
const DISK: readonly string[] = ['full-disk', 'failed-disk', 'slow-disk', 'spoilt-file'];
const isNative = (fault: MindsFault): fault is NativeFault => NATIVE.includes(fault.kind);
const isOfDisk = (fault: MindsFault): fault is DiskFault => DISK.includes(fault.kind);
const isOfSystem = (fault: MindsFault): fault is SystemFault => !isNative(fault) && !isOfDisk(fault);

const addon = new FakeAddon();

/** What the native side of a run is made of. */
export interface FakeNative {
  readonly addon: FakeAddon;
  readonly folder: FakeFolder;
}

export interface PlantedInMinds extends Partial<SimulationOptions> {
  /** Something done to each native context, and to the rest of the native side, to see whether the checks find it. */
  readonly native?: (context: FakeContext) => void;
  readonly fakes?: (fakes: FakeNative) => void;
  /** Or to what callers have of it. */
  readonly stage?: (stage: Stage) => void;
}

export const mindsSubject = ({
  native = () => {},
  fakes: plant = () => {},
  stage: plantOnStage = () => {},
  ...planted
}: PlantedInMinds = {}): Subject<MindsFault> => ({
  name: 'minds',
  messages: MESSAGES,

  draw(random: Random): MindsFault[] {
    const count = random.between(FAULTS.least, FAULTS.most);
    const faults = Array.from({ length: count }, (_, i): MindsFault => {
      const at = random.between(1, LAST_FAULT);
      switch (i < FAULTS.ofSystem ? undefined : random.below(9)) {
        case 0:
          return { kind: 'slow-step', at, ms: random.between(10, 2_000) };
        case 1:
          return { kind: 'failed-step', at, noRoom: random.oneIn(3) };
        case 2:
          return { kind: 'engine-crash', at, refuses: random.oneIn(2) };
        case 3:
          return {
            kind: 'pressure',
            at,
            bytes: random.between(200, 1_400),
            during: random.between(50, 1_000),
          };
        case 4:
          return { kind: 'full-disk', at, after: random.between(1, SPILL_STEPS) };
        case 5:
          return { kind: 'failed-disk', at, after: random.between(1, SPILL_STEPS) };
        case 6:
          return { kind: 'slow-disk', at, ms: random.between(100, SLOW_MS) };
        case 7:
          return { kind: 'spoilt-file', at };
        default:
          return drawFault(random, LAST_FAULT, { lose: [2, 3, 4], freeze: [3, 4] });
      }
    });
    return spareThreads(faults);
  },

  describe,

  async run(trial) {
    const real = { now: performance.now, date: Date.now };
    let sim: SimulatedSystem | undefined;
    let company: Company | undefined;
    const broken = (property: string, what: string): void => sim?.violations.add(property, what);
    const witnesses = new Witnesses(addon, broken);
    substituteAddon(addon);
    try {
      sim = await SimulatedSystem.start({
        ...{
          seed: trial.seed,
          threads: THREADS,
          faults: trial.faults.filter(isOfSystem),
          frozenMs: FROZEN_MS,
          vital: CORE,
        },
        ...planted,
        // What is planted in an actor comes to be known as what that actor did.
        wrappings: [...(planted.wrappings ?? []), witnesses.wrapping],
        onStep: () => company?.step(),
      });
      const { stage } = sim;
      // The engine measures its steps by the machine's clock, and jobs on files hold their deadlines by it.
      performance.now = () => stage.now;
      Date.now = () => Math.floor(stage.now);
      const fakes = beginAnew(sim, trial, witnesses, broken);
      addon.onContext = native;
      plant(fakes);
      company = new Company(sim, fakes, witnesses, trial);
      return await company.run(plantOnStage);
    } finally {
      performance.now = real.now;
      Date.now = real.date;
    }
  },
});

function beginAnew(
  sim: SimulatedSystem,
  trial: { readonly seed: number; readonly faults: readonly MindsFault[] },
  { holders }: Witnesses,
  broken: (property: string, what: string) => void,
): FakeNative {
  const { stage } = sim;
  const folder = new FakeFolder(trial.seed, trial.faults.filter(isOfDisk), {
    after: (ms, then) => stage.system.main.clock.after(ms, then),
    broken,
    get messages() {
      return sim.messages;
    },
  });
  const events = {
    pass: (ms: number): void => stage.loop.take(ms),
    broken,
    pinnedBy: (gene: number) => holders.of(gene),
    get messages() {
      return sim.messages;
    },
    get owner() {
      return stage.thread(ENGINE_THREAD);
    },
  };
  addon.reset(trial.faults.filter(isNative), events, folder.disk, folder.files);
  return { addon, folder };
}

function describe(fault: MindsFault): string {
  const when = `message ${fault.at}:`;
  switch (fault.kind) {
    case 'slow-step':
      return `${when} the next step takes ${fault.ms} ms`;
    case 'failed-step':
      return `${when} the next step fails${fault.noRoom ? ': no room' : ''}`;
    case 'engine-crash':
      return `${when} the next step crashes the engine${fault.refuses ? ', which is refused once' : ''}`;
    case 'pressure':
      return `${when} for ${fault.during} messages, steps need ${fault.bytes} bytes more`;
    case 'full-disk':
      return `${when} the disk is full at step ${fault.after} of the next spill`;
    case 'failed-disk':
      return `${when} step ${fault.after} of the next job on files fails`;
    case 'slow-disk':
      return `${when} the next job on files takes ${fault.ms} ms longer`;
    case 'spoilt-file':
      return `${when} a byte of a file changes`;
    default:
      return describeFault(fault);
  }
}
