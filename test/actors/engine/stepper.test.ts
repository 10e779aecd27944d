/** Steps over a real context whose decodes fail when a test says so, after they have changed the KV, and take no time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Checkpoints } from '../../../src/actors/engine/checkpoints.js';
import { beginRun, emptyLane, type Lane } from '../../../src/actors/engine/lane.js';
import { APART } from '../../../src/actors/engine/marks.js';
import { MEASURE_AFTER_STEPS } from '../../../src/actors/engine/planner.js';
import { createStatus } from '../../../src/actors/engine/status.js';
import { Stepper } from '../../../src/actors/engine/stepper.js';
import {
  type NativeContext,
  type NativeModel,
  ROW_FIELDS,
  type StepStatus,
} from '../../../src/native/addon.js';
import { contextOptions, greedy, ids, load, TINY } from '../../native/fixtures.js';
import { type Kind, writeRandomModel } from '../../native/random-model.js';

const OK = 0;
const NO_ROOM = 1;
const ABORTED = 2;
const FAILED = -1;

/** Rows of one step, by lane. */
type Step = ReadonlyMap<number, number>;

/** A context that says of a step what `fault` says, having done it all the same. */
class Faulty {
  readonly steps: Step[] = [];
  fault: (step: Step) => StepStatus = () => OK;
  readonly context: NativeContext;

  constructor(real: NativeContext) {
    const step = (rows: Int32Array, count: number, sampled: Int32Array): StepStatus => {
      const lanes = new Map<number, number>();
      for (let row = 0; row < count; row++) {
        const lane = rows[ROW_FIELDS * row + 1] as number;
        lanes.set(lane, (lanes.get(lane) ?? 0) + 1);
      }
      this.steps.push(lanes);
      const status = real.step(rows, count, sampled);
      return status === OK ? this.fault(lanes) : status;
    };
    this.context = new Proxy(real, {
      get: (target, name: keyof NativeContext) => {
        if (name === 'step') return step;
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

interface Stage {
  readonly faulty: Faulty;
  readonly lanes: Lane[];
  /** Tokens said, by lane; undefined for one that failed. */
  readonly said: Map<number, number[] | StepStatus>;
  begin(lane: number, prompt: Int32Array, most: number): void;
  /** Steps until no lane has work. */
  play(): void;
  /** One step. */
  step(): boolean;
}

let contexts: NativeContext[] = [];
afterEach(() => {
  for (const context of contexts) context.close();
  contexts = [];
});

/** `checkpointBytes`: of a model whose lanes cannot be cut. */
function stage(model: NativeModel, checkpointBytes?: number): Stage {
  const real = model.context({ ...contextOptions, lanes: 3, cells: 1536, rows: 64 });
  contexts.push(real);
  real.setCheckpointBudget(checkpointBytes ?? 0);
  const faulty = new Faulty(real);
  const odd = checkpointBytes !== undefined;
  const unheard = { resized() {}, evicted() {}, skipped() {}, unrestored() {} };
  const checkpoints = new Checkpoints(faulty.context, createStatus(), unheard, odd);
  const lanes = Array.from({ length: 3 }, (_, number) => emptyLane(number));
  const said = new Map<number, number[] | StepStatus>();
  const limits = new Map<number, number>();
  const sink = {
    sampled(lane: Lane, token: number) {
      const tokens = said.get(lane.number) as number[];
      tokens.push(token);
      lane.tokens.push(token);
      const run = lane.run as NonNullable<Lane['run']>;
      run.produced++;
      if (tokens.length >= (limits.get(lane.number) as number)) lane.run = undefined;
    },
    failed(lane: Lane, status: StepStatus) {
      said.set(lane.number, status);
      lane.run = undefined;
    },
  };
  const stepper = new Stepper(faulty.context, lanes, checkpoints, sink, { now: 0 }, odd);
  let order = 0;
  return {
    faulty,
    lanes,
    said,
    begin(number, prompt, most) {
      real.setSampler(number, greedy, new Int32Array());
      const run = {
        type: 'run' as const,
        grant: number,
        epoch: 0,
        activity: `${number}`,
        lane: number,
        continues: false,
        sharing: 0,
        vacated: 0,
        tokens: prompt,
        genes: [],
        base: 0,
        partings: [],
        sampling: greedy,
        stops: [],
        maxTokens: most,
        reader: 1,
        turn: number,
      };
      beginRun(lanes[number] as Lane, run, 1, order++, 0, 0);
      said.set(number, []);
      limits.set(number, most);
    },
    play() {
      for (let steps = 0; stepper.step(); steps++) if (steps > 5_000) throw new Error('it does not end');
    },
    step: () => stepper.step(),
  };
}

let model: NativeModel;
let prompts: Int32Array[];
beforeAll(() => {
  model = load(TINY);
  prompts = ['And the LORD said', 'In the beginning', 'The people of'].map((text) => ids(model, text));
});
afterAll(() => model.close());

const MOST = 40;
function undisturbed(lanes = [0, 1, 2]): Map<number, number[] | StepStatus> {
  const { begin, play, said } = stage(model);
  for (const lane of lanes) begin(lane, prompts[lane] as Int32Array, MOST);
  play();
  return said;
}

describe('a step that fails', () => {
  let whole: ReturnType<typeof undisturbed>;
  beforeAll(() => {
    whole = undisturbed();
  });

  it.each([FAILED, NO_ROOM] as const)('E6 once (%i) costs nobody anything', (status) => {
    const { faulty, begin, play, said } = stage(model);
    let failures = 0;
    faulty.fault = (step) => (step.size === 3 && faulty.steps.length % 7 === 0 && ++failures ? status : OK);
    for (const lane of [0, 1, 2]) begin(lane, prompts[lane] as Int32Array, MOST);
    play();
    expect(failures).toBeGreaterThan(3);
    expect(said).toEqual(whole);
  });

  it('E6 is tried again lane by lane, each once', () => {
    const { faulty, begin, play } = stage(model);
    faulty.fault = () => (faulty.steps.length === 10 ? FAILED : OK);
    for (const lane of [0, 1, 2]) begin(lane, prompts[lane] as Int32Array, MOST);
    play();
    const failed = faulty.steps[9] as Step;
    expect(failed.size).toBe(3);
    const alone = faulty.steps.slice(10, 13);
    expect(alone.map((step) => [...step])).toEqual([...failed].map((share) => [share]));
    expect(faulty.steps[13]?.size).toBe(3);
  });

  it('E6 has every lane cut back to where it was', () => {
    const { faulty, begin, step, lanes } = stage(model);
    for (const lane of [0, 1, 2]) begin(lane, prompts[lane] as Int32Array, MOST);
    for (let i = 0; i < 9; i++) step();
    const before = lanes.map((lane) => faulty.context.length(lane.number));
    faulty.fault = () => FAILED;
    step();
    expect(lanes.map((lane) => faulty.context.length(lane.number))).toEqual(before);
    expect(lanes.map((lane) => lane.held)).toEqual(before);
  });

  it('E6 twice for one lane fails that one alone, and empties it', () => {
    const { faulty, begin, play, said, lanes } = stage(model);
    faulty.fault = (step) => (faulty.steps.length > 12 && step.has(1) ? FAILED : OK);
    for (const lane of [0, 1, 2]) begin(lane, prompts[lane] as Int32Array, MOST);
    play();
    expect(said.get(1)).toBe(FAILED);
    expect(said.get(0)).toEqual(whole.get(0));
    expect(said.get(2)).toEqual(whole.get(2));
    expect([lanes[1]?.held, faulty.context.length(1)]).toEqual([0, 0]);
  });

  it('E6 of a lane by itself is tried once more', () => {
    const { faulty, begin, play, said } = stage(model);
    faulty.fault = () => (faulty.steps.length === 5 ? FAILED : OK);
    begin(0, prompts[0] as Int32Array, MOST);
    play();
    expect(said.get(0)).toEqual(undisturbed([0]).get(0));
    expect(faulty.steps.length).toBe(MOST + 1);
  });

  it('E6 twice for all fails all, each with what it failed of', () => {
    const { faulty, begin, play, said } = stage(model);
    faulty.fault = () => NO_ROOM;
    for (const lane of [0, 1, 2]) begin(lane, prompts[lane] as Int32Array, MOST);
    play();
    expect([...said.values()]).toEqual([NO_ROOM, NO_ROOM, NO_ROOM]);
    expect(faulty.steps.length).toBe(4);
  });

  it('E6 in a prompt: the chunk is tried again, and the prompt goes on', () => {
    const long = ids(model, 'And the LORD said unto Moses, Speak unto the children of Israel. '.repeat(8));
    const { faulty, begin, play, said } = stage(model);
    begin(0, long, 5);
    play();
    const expected = said.get(0);
    const again = stage(model);
    again.faulty.fault = () => (again.faulty.steps.length === 2 ? FAILED : OK);
    again.begin(0, long, 5);
    again.play();
    expect(again.said.get(0)).toEqual(expected);
    expect(again.faulty.steps.length).toBe(faulty.steps.length + 1);
  });

  it('E6 a run that began on the lane since has its own two tries', () => {
    const { faulty, begin, step, play, said, lanes } = stage(model);
    for (const lane of [0, 1]) begin(lane, prompts[lane] as Int32Array, MOST);
    step();
    faulty.fault = (rows) => (rows.size === 2 ? FAILED : OK);
    step();
    Object.assign(lanes[1] as Lane, emptyLane(1));
    faulty.context.clear(1);
    begin(1, prompts[2] as Int32Array, MOST);
    const begun = faulty.steps.length;
    faulty.fault = (rows) => (rows.has(1) && faulty.steps.length <= begun + 2 ? FAILED : OK);
    play();
    expect(said.get(1)).toEqual(whole.get(2));
    expect(said.get(0)).toEqual(whole.get(0));
  });

  it('E6 a step that was stopped, to leave, fails nobody', () => {
    const { faulty, begin, step, said } = stage(model);
    begin(0, prompts[0] as Int32Array, MOST);
    faulty.fault = () => ABORTED;
    expect(step()).toBe(true);
    expect(said.get(0)).toEqual([]);
  });
});

describe.each<Kind>(['recurrent', 'hybrid'])('a model that cannot roll back: %s', (kind) => {
  const place = mkdtempSync(join(tmpdir(), 'troupe-stepper-'));
  let odd: NativeModel;
  beforeAll(() => {
    const path = join(place, `${kind}.gguf`);
    writeRandomModel(path, kind);
    odd = load(path);
  });
  afterAll(() => {
    odd.close();
    rmSync(place, { recursive: true });
  });
  const speak = (given: Stage): void => {
    ['hello world', 'world hello hello'].forEach((text, lane) => {
      given.begin(lane, ids(odd, text.repeat(5)), 20);
    });
    given.play();
  };

  it('E6 without a checkpoint is prompted again after a failed step, and says the same', () => {
    const quiet = stage(odd, 0);
    speak(quiet);
    const disturbed = stage(odd, 0);
    disturbed.faulty.fault = (step) =>
      step.size === 2 && disturbed.faulty.steps.length % 9 === 0 ? FAILED : OK;
    speak(disturbed);
    expect(disturbed.said).toEqual(quiet.said);
    expect(disturbed.faulty.steps.length).toBeGreaterThan(quiet.faulty.steps.length);
  });

  it('E6 is taken back to its checkpoint after a failed step, and reads only what came after it', () => {
    const prompt = ids(odd, 'hello world '.repeat(40));
    const quiet = stage(odd, 2 ** 24);
    quiet.begin(0, prompt, 20);
    quiet.play();
    const disturbed = stage(odd, 2 ** 24);
    const chunks = quiet.faulty.steps.length - 19;
    disturbed.faulty.fault = () => (disturbed.faulty.steps.length === chunks + 12 ? FAILED : OK);
    disturbed.begin(0, prompt, 20);
    disturbed.play();
    expect(disturbed.said).toEqual(quiet.said);
    const rows = ({ faulty }: Stage): number =>
      faulty.steps.reduce((sum, step) => sum + (step.get(0) ?? 0), 0);
    const [first] = quiet.faulty.context.checkpoints(0);
    const position = first?.position ?? 0;
    expect(prompt.length - position).toBeLessThan(APART);
    // The failed row itself, the 11 of the reply before it, and what lies between the checkpoint and the reply.
    expect(rows(disturbed) - rows(quiet)).toBe(12 + prompt.length - position);
  });

  it('E1 has decodes and chunks of a prompt in steps of their own, in turns', () => {
    const given = stage(odd, 2 ** 24);
    given.begin(0, ids(odd, 'hello'), 200);
    given.step();
    given.begin(1, ids(odd, 'world '.repeat(100)), 2);
    const before = given.faulty.steps.length;
    while ((given.said.get(1) as number[]).length === 0) given.step();
    const steps = given.faulty.steps.slice(before);
    for (const step of steps) expect(step.size).toBe(1);
    const turns = steps.map((step) => [...step.keys()][0]);
    expect(turns.filter((lane) => lane === 0).length).toBeGreaterThanOrEqual(Math.floor(turns.length / 2));
  });
});

describe('a long prompt beside minds that decode', () => {
  let given: Stage;
  beforeEach(() => {
    given = stage(model);
  });
  const long = (times: number): Int32Array => ids(model, 'And he said unto them, Go ye. '.repeat(times));

  it('E1 comes in chunks, and every step of it has a row for each who decodes', () => {
    given.begin(0, prompts[0] as Int32Array, 200);
    given.begin(1, prompts[1] as Int32Array, 200);
    given.step();
    given.begin(2, long(40), 10);
    const before = given.faulty.steps.length;
    while ((given.said.get(2) as number[]).length === 0) given.step();
    const steps = given.faulty.steps.slice(before);
    expect(steps.length).toBeGreaterThan(5);
    for (const step of steps) expect([step.get(0), step.get(1)]).toEqual([1, 1]);
    // Now and then the decodes go alone, to be measured.
    const without = steps.filter((step) => (step.get(2) ?? 0) === 0);
    expect(without.length).toBeLessThanOrEqual(1 + steps.length / MEASURE_AFTER_STEPS);
    expect((given.said.get(0) as number[]).length).toBeGreaterThanOrEqual(steps.length);
    given.play();
    expect([...given.said.values()].map((tokens) => (tokens as number[]).length)).toEqual([200, 200, 10]);
  });

  it('E1 says what it would have said alone, and so do they', () => {
    const alone = stage(model);
    alone.begin(2, long(20), MOST);
    alone.play();
    given.begin(0, prompts[0] as Int32Array, MOST);
    given.begin(1, prompts[1] as Int32Array, MOST);
    given.step();
    given.begin(2, long(20), MOST);
    given.play();
    const quiet = undisturbed([0, 1]);
    expect(given.said.get(2)).toEqual(alone.said.get(2));
    expect([given.said.get(0), given.said.get(1)]).toEqual([quiet.get(0), quiet.get(1)]);
  });

  it('E1 several prompts at once all come through', () => {
    for (const lane of [0, 1, 2]) given.begin(lane, long(15 + lane), 3);
    given.play();
    expect([...given.said.values()].map((tokens) => (tokens as number[]).length)).toEqual([3, 3, 3]);
  });
});
