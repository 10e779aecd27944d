/**
 * A system under simulation: the test kit's, by seed, with faults that come when so many messages have been handled, and
 * every check looking on.
 */
import { type ActorId, threadOf } from '../../runtime/address.js';
import type { ThreadPlan } from '../../runtime/system.js';
import type { LineTap } from '../line.js';
import { Random } from '../random.js';
import { TestSystem } from '../test-system.js';
import type { Wrapping } from '../wrapping.js';
import { Checks } from './checks.js';
import { Crashes } from './crashes.js';
import type { SystemFault } from './faults.js';
import { Recorder } from './recorder.js';
import type { Outcome } from './subject.js';
import { Violations } from './violations.js';

/** The stream of a seed's random numbers that decides how long batches are on their way. */
const LINES = 2;
/** One batch in so many is late, by up to so much, also when nothing is slow. */
const LATE_ONE_IN = 4;
const LATE_MS = 2;

export interface SimulationOptions {
  readonly seed: number;
  readonly threads: readonly ThreadPlan[];
  readonly faults: readonly SystemFault[];
  /** Put around each actor, inside of what records it. */
  readonly wrappings?: readonly Wrapping[];
  /** Something done to batches, to see whether the checks find it. */
  readonly planted?: LineTap['posted'];
}

export class SimulatedSystem {
  readonly stage: TestSystem;
  readonly recorder: Recorder;
  readonly violations: Violations;
  readonly checks: Checks;
  readonly #state: FaultState;
  readonly #lost = new Set<number>();

  private constructor(stage: TestSystem, recorder: Recorder, checks: Checks, state: FaultState) {
    this.stage = stage;
    this.recorder = recorder;
    this.checks = checks;
    this.violations = state.violations;
    this.#state = state;
    stage.loop.onStep = (thread) => this.#afterStep(thread);
  }

  static async start({
    seed,
    threads,
    faults,
    planted,
    wrappings: own = [],
  }: SimulationOptions): Promise<SimulatedSystem> {
    const state = new FaultState(seed, faults);
    const checks = new Checks(state.violations, () => state.now());
    const recorder = new Recorder(checks);
    const crashes = new Crashes(() => state.crash(checks.messages));
    const tap: LineTap = {
      posted(to, batch) {
        planted?.(to, batch);
        checks.lines.posted(to, batch);
      },
      arrived: (to, batch) => checks.lines.arrived(to, batch),
    };
    const delayMs = (): number => state.delayMs();
    const wrappings = [...own, crashes, recorder];
    const stage = await TestSystem.start({ seed, threads, tap, delayMs, wrappings });
    state.now = () => stage.now;
    return new SimulatedSystem(stage, recorder, checks, state);
  }

  /** Messages handled so far. */
  get messages(): number {
    return this.checks.messages;
  }

  /** Faults that have come to pass. */
  get faults(): number {
    return this.#state.occurred;
  }

  alive(id: ActorId): boolean {
    return this.stage.thread(threadOf(id))?.cell(id) !== undefined;
  }

  /** Lets what is under way come to its end, and looks at what is left. */
  async quiet(forMs: number): Promise<void> {
    await this.stage.advance(forMs);
    this.checks.quiet(this.stage.threads, {
      alive: (id) => this.alive(id),
      wasLost: (thread) => this.#lost.has(thread),
    });
  }

  outcome(): Outcome {
    const { messages, actors } = this.checks;
    const { trace } = this.stage.loop;
    return { messages, actors: actors.size, faults: this.faults, trace, violations: this.violations.all };
  }

  /** A step changes nothing but the thread that it happens on. */
  #afterStep(number: number): void {
    this.stage.loop.note(this.messages);
    const stepped = this.stage.thread(number);
    if (stepped !== undefined) this.checks.step(stepped);
    for (const thread of this.#state.losses(this.messages)) {
      this.#lost.add(thread);
      this.checks.lost(thread);
      this.stage.loseThread(thread, 'the seed ended it');
    }
  }
}

/** Which faults have come, and which are still to come. */
class FaultState {
  readonly violations = new Violations();
  now: () => number = () => 0;
  occurred = 0;
  readonly #random: Random;
  readonly #crashes: (SystemFault & { kind: 'crash' })[];
  readonly #losses: (SystemFault & { kind: 'lose' })[];
  readonly #slow: (SystemFault & { kind: 'slow' })[];
  #slowUntil = 0;
  #slowBy = 0;

  constructor(seed: number, faults: readonly SystemFault[]) {
    this.#random = new Random(seed, LINES);
    const sorted = [...faults].sort((a, b) => a.at - b.at);
    this.#crashes = sorted.filter((fault) => fault.kind === 'crash');
    this.#losses = sorted.filter((fault) => fault.kind === 'lose');
    this.#slow = sorted.filter((fault) => fault.kind === 'slow');
  }

  crash(messages: number): 'before' | 'after' | undefined {
    const [next] = this.#crashes;
    if (next === undefined || next.at > messages) return undefined;
    this.#crashes.shift();
    this.occurred++;
    return next.when;
  }

  /** Threads that are lost now. */
  losses(messages: number): number[] {
    const due = this.#losses.filter(({ at }) => at <= messages);
    this.#losses.splice(0, due.length);
    this.occurred += due.length;
    const slow = this.#slow.filter(({ at }) => at <= messages);
    this.#slow.splice(0, slow.length);
    this.occurred += slow.length;
    for (const { forMs, delayMs } of slow) {
      this.#slowUntil = this.now() + forMs;
      this.#slowBy = delayMs;
    }
    return due.map(({ thread }) => thread);
  }

  delayMs(): number {
    if (this.now() < this.#slowUntil) return this.#random.fraction() * this.#slowBy;
    return this.#random.oneIn(LATE_ONE_IN) ? this.#random.fraction() * LATE_MS : 0;
  }
}
