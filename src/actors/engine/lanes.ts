/**
 * The lanes over the native context: what each holds, how a run begins on one, and how one is cut back or emptied.
 * Keeps the KV, the lane's tokens and what is shown of them in step.
 */
import type { NativeContext } from '../../native/addon.js';
import type { ActorId } from '../../runtime/address.js';
import { beginRun, commonPrefix, emptyLane, type Lane, phenotypeOf } from './lane.js';
import type { LaneClaim, Run } from './protocol.js';
import { count, Status, showLane } from './status.js';

export class Lanes {
  readonly all: readonly Lane[];
  readonly #context: NativeContext;
  readonly #status: Int32Array;
  readonly #byGrant = new Map<number, Lane>();
  #order = 0;

  constructor(context: NativeContext, status: Int32Array) {
    this.#context = context;
    this.#status = status;
    this.all = Array.from({ length: context.lanes }, (_, number) => emptyLane(number));
    for (const lane of this.all) showLane(status, lane, undefined);
  }

  /** The lane that a grant's run is on. */
  running(grant: number): Lane | undefined {
    return this.#byGrant.get(grant);
  }

  /** Throws what the context throws when a gene is not there; the lane is then as it was. */
  begin(run: Run, mind: ActorId): void {
    const lane = this.all[run.lane] as Lane;
    this.#context.setGenes(lane.number, run.genes);
    let reused = 0;
    // What was computed under other genes means nothing under these.
    if (lane.activity === run.activity && lane.phenotype === phenotypeOf(run)) {
      // The last token is always processed again: its logits are what the first sample is drawn from.
      reused = Math.min(commonPrefix(lane.tokens, lane.held, run.tokens), run.tokens.length - 1);
      if (reused < lane.held && !this.#context.cut(lane.number, reused)) reused = 0;
    }
    if (reused === 0) this.#context.clear(lane.number);
    this.#context.setSampler(lane.number, run.sampling, new Int32Array(0));
    beginRun(lane, run, mind, this.#order++, reused, performance.now());
    this.#byGrant.set(run.grant, lane);
    showLane(this.#status, lane, mind);
  }

  /** The run on a lane is over; the lane keeps its first `length` tokens, as far as the KV has them. */
  finish(lane: Lane, length: number): void {
    if (lane.run !== undefined) this.#byGrant.delete(lane.run.grant);
    lane.run = undefined;
    // An idle lane holds no gene back.
    this.#context.setGenes(lane.number, []);
    lane.tokens.length = length;
    if (lane.held > length && !this.#context.cut(lane.number, length)) {
      this.#context.clear(lane.number);
      lane.held = 0;
    }
    lane.held = Math.min(lane.held, length);
    if (lane.held === 0) Object.assign(lane, emptyLane(lane.number));
    showLane(this.#status, lane, undefined);
  }

  empty(lane: Lane): void {
    this.#context.clear(lane.number);
    Object.assign(lane, emptyLane(lane.number));
    showLane(this.#status, lane, undefined);
  }

  /** Empties idle lanes that still hold what they are taken to hold. */
  clear(claims: readonly LaneClaim[]): void {
    for (const claim of claims) {
      const lane = this.all[claim.lane];
      if (lane !== undefined && lane.run === undefined && lane.activity === claim.activity) this.empty(lane);
    }
  }

  /** Tokens in the KV of all lanes but one. */
  heldBeside(lane: Lane): number {
    return this.all.reduce((sum, other) => sum + (other === lane ? 0 : other.held), 0);
  }

  /** The context is gone: nothing is held any more. */
  close(): void {
    for (const lane of this.all) {
      Object.assign(lane, emptyLane(lane.number));
      showLane(this.#status, lane, undefined);
    }
  }

  /** Shows what a step has changed. */
  showStep(): void {
    count(this.#status, Status.steps, 1);
    for (const lane of this.all) if (lane.run !== undefined) showLane(this.#status, lane, undefined);
  }
}
