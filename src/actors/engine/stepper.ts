/**
 * One step of the engine: the planned rows through one native decode, what came out back to the runs, and what happens
 * to the lanes when the decode fails.
 */
import { type NativeContext, ROW_FIELDS, RowOutput, StepStatus } from '../../native/addon.js';
import type { Checkpoints } from './checkpoints.js';
import { createStepCost } from './cost.js';
import type { Lane, RunOnLane } from './lane.js';
import { type LaneShare, type LaneWork, plan } from './planner.js';

export interface StepSink {
  /** A lane's run has a new token. */
  sampled(lane: Lane, token: number): void;
  /** A lane's rows failed in company and alone; the lane is empty now. */
  failed(lane: Lane, status: StepStatus): void;
}

/** Milliseconds on the thread's clock: what is learned from them decides. */
export interface StepClock {
  readonly now: number;
}

/** A share of a failed step, and the run that it was of. */
interface Retry {
  readonly share: LaneShare;
  readonly run: RunOnLane | undefined;
}

export class Stepper {
  readonly #context: NativeContext;
  readonly #lanes: readonly Lane[];
  readonly #checkpoints: Checkpoints;
  readonly #sink: StepSink;
  readonly #clock: StepClock;
  readonly #split: boolean;
  readonly #cost = createStepCost();
  readonly #rows: Int32Array;
  readonly #sampled: Int32Array;
  /** Shares of a failed step, each to be tried alone. */
  #alone: Retry[] = [];
  #afterPrompt = false;
  #steps = 0;
  /** By lane: the step that had its last row. */
  readonly #served: number[];

  /** `split`: decodes and prompts never share a step (recurrent and hybrid models). */
  constructor(
    context: NativeContext,
    lanes: readonly Lane[],
    checkpoints: Checkpoints,
    sink: StepSink,
    clock: StepClock,
    split: boolean,
  ) {
    this.#context = context;
    this.#lanes = lanes;
    this.#checkpoints = checkpoints;
    this.#sink = sink;
    this.#clock = clock;
    this.#split = split;
    this.#served = lanes.map(() => -1);
    this.#rows = new Int32Array(ROW_FIELDS * context.rows);
    this.#sampled = new Int32Array(context.lanes);
  }

  /** Answers false when no lane has work. */
  step(): boolean {
    const shares = this.#next();
    if (shares.length === 0) return false;
    for (const { lane } of shares) this.#checkpoints.keep(this.#lanes[lane] as Lane);
    const count = this.#fill(shares);
    const begun = this.#clock.now;
    const step = this.#steps++;
    for (const { lane } of shares) {
      this.#served[lane] = step;
      const run = this.#lanes[lane]?.run;
      if (run !== undefined && run.startedAt === 0) run.startedAt = performance.now();
    }
    const status = this.#context.step(this.#rows, count, this.#sampled);
    if (status === StepStatus.ok) {
      this.#cost.observe(count, this.#clock.now - begun);
      this.#accept(shares);
    } else if (status !== StepStatus.aborted) this.#recover(shares, status);
    return true;
  }

  #next(): LaneShare[] {
    while (this.#alone.length > 0) {
      const { share, run } = this.#alone[0] as Retry;
      const lane = this.#lanes[share.lane] as Lane;
      if (run !== undefined && lane.run === run) {
        return [{ lane: share.lane, count: Math.min(share.count, this.#room(lane)) }];
      }
      this.#alone.shift();
    }
    const work: LaneWork[] = [];
    for (const lane of this.#lanes) {
      if (lane.run === undefined || lane.run.leader !== undefined) continue;
      const pending = lane.tokens.length - lane.held;
      work.push({
        lane: lane.number,
        kind: pending > 1 ? 'prompt' : 'decode',
        pending: this.#room(lane),
        order: lane.run.order,
        served: this.#served[lane.number] as number,
      });
    }
    if (work.length === 0) return [];
    const limits = { rows: this.#context.rows, split: this.#split, afterPrompt: this.#afterPrompt };
    const shares = plan(work, limits, this.#cost);
    // By kind, not by count: a chunk may be a single row, and decodes come after it all the same.
    this.#afterPrompt = work.some(
      ({ kind, lane }) => kind === 'prompt' && shares.some((share) => share.lane === lane),
    );
    return shares;
  }

  /** Tokens that a lane can take in before it stops: for want of more, or for a checkpoint. */
  #room(lane: Lane): number {
    return Math.min(lane.tokens.length - lane.held, this.#checkpoints.room(lane));
  }

  /** Writes the rows of all shares; a lane's last pending token asks for a sample. */
  #fill(shares: readonly LaneShare[]): number {
    let row = 0;
    for (const share of shares) {
      const lane = this.#lanes[share.lane] as Lane;
      for (let i = 0; i < share.count; i++) {
        const position = lane.held + i;
        const at = ROW_FIELDS * row++;
        this.#rows[at] = lane.tokens[position] as number;
        this.#rows[at + 1] = share.lane;
        this.#rows[at + 2] = position;
        this.#rows[at + 3] = position === lane.tokens.length - 1 ? RowOutput.sample : RowOutput.none;
      }
    }
    return row;
  }

  #accept(shares: readonly LaneShare[]): void {
    if (this.#alone.length > 0) this.#alone.shift();
    let output = 0;
    for (const share of shares) {
      const lane = this.#lanes[share.lane] as Lane;
      const run = lane.run;
      if (run === undefined) continue;
      // A lane that was cleared prompts its reply again; those tokens count as prompt.
      run.processed += share.count - (run.produced > 0 && share.count === 1 ? 1 : 0);
      lane.held += share.count;
      if (lane.held === lane.tokens.length) this.#sink.sampled(lane, this.#sampled[output++] as number);
    }
  }

  /** Brings every lane of a failed step back to where it was, and has each try alone; one that did so has failed. */
  #recover(shares: readonly LaneShare[], status: StepStatus): void {
    const wasAlone = this.#alone.length > 0;
    for (const share of shares) {
      const lane = this.#lanes[share.lane] as Lane;
      // What it has lost it reads again from its tokens.
      lane.held = this.#checkpoints.cut(lane, lane.held);
    }
    if (!wasAlone) {
      this.#alone = shares.map((share) => ({ share, run: this.#lanes[share.lane]?.run }));
      return;
    }
    this.#alone.shift();
    const lane = this.#lanes[(shares[0] as LaneShare).lane] as Lane;
    this.#context.clear(lane.number);
    lane.held = 0;
    lane.kept = 0;
    this.#sink.failed(lane, status);
  }
}
