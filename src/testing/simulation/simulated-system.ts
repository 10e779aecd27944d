/**
 * A system under simulation: the test kit's, by seed, with faults that come when so many messages have been handled, and
 * every check looking on.
 */
import { type ActorId, threadOf } from '../../runtime/address.js';
import type { ThreadPlan } from '../../runtime/system.js';
import type { Thread } from '../../runtime/thread.js';
import type { LineTap } from '../line.js';
import { TestSystem } from '../test-system.js';
import type { Wrapping } from '../wrapping.js';
import { Checks } from './checks.js';
import { Crashes } from './crashes.js';
import { FaultState } from './fault-state.js';
import type { SystemFault } from './faults.js';
import { Recorder } from './recorder.js';
import type { Outcome } from './subject.js';
import { Violations } from './violations.js';

export interface SimulationOptions {
  readonly seed: number;
  readonly threads: readonly ThreadPlan[];
  readonly faults: readonly SystemFault[];
  /** A thread that answers nothing for so long is replaced; default 0: never. */
  readonly frozenMs?: number;
  /** Names of actors without which the system would end; default: none. They crash no more often than they survive. */
  readonly vital?: readonly string[];
  /** Told of each thread that is lost, or freezes. */
  readonly onLost?: (thread: number) => void;
  /** Called after each step, when what follows from it has happened. */
  readonly onStep?: () => void;
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
  readonly #onLost: (thread: number) => void;
  readonly #onStep: () => void;
  readonly #alive = (id: ActorId): boolean => this.alive(id);
  readonly #lost = new Set<number>();

  /** Frozen threads, in the life that they froze in. */
  readonly #frozen: Thread[] = [];

  private constructor(
    stage: TestSystem,
    recorder: Recorder,
    checks: Checks,
    violations: Violations,
    state: FaultState,
    onLost: (thread: number) => void,
    onStep: () => void,
  ) {
    this.stage = stage;
    this.recorder = recorder;
    this.checks = checks;
    this.violations = violations;
    this.#state = state;
    this.#onLost = onLost;
    this.#onStep = onStep;
    stage.loop.onStep = (thread) => this.#afterStep(thread);
  }

  static async start({
    seed,
    threads,
    faults,
    frozenMs = 0,
    vital = [],
    onLost = () => {},
    onStep = () => {},
    planted,
    wrappings: own = [],
  }: SimulationOptions): Promise<SimulatedSystem> {
    const state = new FaultState(seed, faults);
    const violations = new Violations();
    const checks = new Checks(violations, state);
    const recorder = new Recorder(checks);
    const crashes = new Crashes(() => state.crash(checks.messages), vital);
    const tap: LineTap = {
      posted(to, batch) {
        planted?.(to, batch);
        checks.lines.posted(to, batch);
      },
      arrived: (to, batch) => checks.lines.arrived(to, batch),
    };
    const delayMs = (): number => state.delayMs();
    const wrappings = [...own, crashes, recorder];
    const stage = await TestSystem.start({ seed, threads, tap, delayMs, frozenMs, wrappings });
    state.clock = stage.loop;
    return new SimulatedSystem(stage, recorder, checks, violations, state, onLost, onStep);
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
    for (const { number, name } of this.#frozen.filter(
      (thread) => this.stage.thread(thread.number) === thread,
    )) {
      this.violations.add('a frozen thread is replaced', `thread ${number}, ${name}, still is what it was`);
    }
    this.checks.quiet(this.stage.threads, {
      alive: this.#alive,
      wasLost: (thread) => this.#lost.has(thread),
    });
  }

  outcome(): Outcome {
    const { messages, actors } = this.checks;
    const { trace } = this.stage.loop;
    return {
      ...{ messages, actors: actors.size, faults: this.faults, moments: {}, trace },
      violations: this.violations.all,
    };
  }

  /** A step changes nothing but the thread that it happens on. */
  #afterStep(number: number): void {
    this.stage.loop.note(this.messages);
    this.#onStep();
    const stepped = this.stage.thread(number);
    if (stepped !== undefined) this.checks.step(stepped, this.#alive);
    for (const { kind, thread } of this.#state.due(this.messages)) {
      // A thread that froze is as good as lost: it never goes on.
      this.#lost.add(thread);
      this.checks.lost(thread);
      this.#onLost(thread);
      // One that is just starting cannot freeze.
      if (kind === 'lose' || !this.#freeze(thread)) this.stage.loseThread(thread, 'the seed ended it');
    }
  }

  #freeze(number: number): boolean {
    const thread = this.stage.thread(number);
    if (thread === undefined || !this.stage.freezeThread(number)) return false;
    this.#frozen.push(thread);
    return true;
  }
}
