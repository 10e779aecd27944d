/**
 * The lanes over the native context: what each holds, how a run begins on one, with what others hold already, and how one
 * is cut back or emptied. Keeps the KV, the lane's tokens and what is shown of them in step.
 */
import { EmptyLane } from '../../errors.js';
import type { NativeContext } from '../../native/addon.js';
import type { ActorId } from '../../runtime/address.js';
import type { Activity } from '../activity.js';
import type { Checkpoints } from './checkpoints.js';
import { Kv, type KvOptions } from './kv.js';
import { beginningOf, beginRun, emptyLane, type Lane, type RunOnLane, ranGene } from './lane.js';
import type { Pages } from './pages.js';
import { alike, chooseSource, hasCome } from './prefix.js';
import type { EngineToBroker, LaneClaim, PageMove, Run } from './protocol.js';
import { count, Status, showLane } from './status.js';

const NO_MOVE: PageMove = { bytes: 0, ms: 0 };
export type LaneShrank = EngineToBroker & { readonly type: 'shrank' };

export interface LanesOptions extends KvOptions {
  /** Whether lanes of this model can share cells. */
  readonly shares: boolean;
}

export class Lanes {
  readonly all: readonly Lane[];
  readonly kv: Kv;
  readonly #context: NativeContext;
  readonly #pages: Pages;
  readonly #checkpoints: Checkpoints;
  readonly #status: Int32Array;
  readonly #shares: boolean;
  readonly #byGrant = new Map<number, Lane>();
  #order = 0;

  constructor(
    context: NativeContext,
    pages: Pages,
    checkpoints: Checkpoints,
    status: Int32Array,
    { shares, ...options }: LanesOptions,
  ) {
    this.#shares = shares;
    this.#context = context;
    this.#pages = pages;
    this.#checkpoints = checkpoints;
    this.#status = status;
    this.all = Array.from({ length: context.lanes }, (_, number) => emptyLane(number));
    this.kv = new Kv(context, checkpoints, this.all, options);
    for (const lane of this.all) showLane(status, lane, undefined);
  }

  /** The lane that a grant's run is on. */
  running(grant: number): Lane | undefined {
    return this.#byGrant.get(grant);
  }

  /** Throws what the context throws when a gene is not there or an option is none; the lane then holds what it held. */
  begin(run: Run, mind: ActorId): Lane {
    const lane = this.all[run.lane] as Lane;
    this.#context.setGenes(lane.number, run.genes, run.base);
    this.#context.setSampler(lane.number, run.sampling, run.soFar?.tokens ?? new Int32Array(0));
    const pagedIn = this.#bringIn(lane, run, mind);
    let reused = reusable(lane, run);
    if (0 < reused && reused < lane.held) reused = this.kv.cut(lane, reused);
    if (reused === 0) this.kv.clear(lane);
    const begun = beginRun(lane, run, mind, this.#order++, reused, performance.now());
    begun.pagedIn = pagedIn;
    this.#share(lane, begun);
    this.#byGrant.set(run.grant, lane);
    showLane(this.#status, lane, mind);
    return lane;
  }

  /** Whether a run keeps what its grant counts as shared. If it would not, its lane keeps only what it would of it. */
  keepsShared(run: Run): boolean {
    const lane = this.all[run.lane] as Lane;
    const kept = reusable(lane, run);
    if (kept >= run.sharing) return true;
    if (lane.activity === run.activity) this.#shrink(lane, kept);
    return false;
  }

  /** An activity that comes back goes on from its page, if that is good for anything; the page is gone then. */
  #bringIn(lane: Lane, run: Run, mind: ActorId): PageMove {
    const record = this.#pages.of(run.activity);
    if (record === undefined) return NO_MOVE;
    try {
      const beginning = this.#pages.beginningOf(record);
      if (lane.activity === run.activity || alike(beginning, beginningOf(run)) === 0) return NO_MOVE;
      return this.pageIn(lane, record.activity, mind);
    } catch (error) {
      this.#pages.failed(run.activity, error);
      return NO_MOVE;
    } finally {
      this.#pages.drop(record);
    }
  }

  /** Puts the page of an activity into an idle lane, in place of what that holds. Throws as `Pages.in`. */
  pageIn(lane: Lane, activity: Activity, mind: ActorId): PageMove {
    const record = this.#pages.get(activity);
    const beginning = this.#pages.beginningOf(record);
    const begun = performance.now();
    this.empty(lane);
    this.#checkpoints.observe(lane, () => this.#pages.in(lane.number, record));
    Object.assign(lane, beginning, { activity, held: record.held });
    this.#checkpoints.sync(lane);
    showLane(this.#status, lane, mind);
    return { bytes: record.bytes, ms: performance.now() - begun };
  }

  /** Takes what an idle lane holds out into a page. Throws as `Pages.out`; the lane is then as it was. */
  pageOut(lane: Lane): PageMove {
    const begun = performance.now();
    const { bytes } = this.#pages.out(lane);
    this.empty(lane);
    return { bytes, ms: performance.now() - begun };
  }

  /** The run on a lane gives it up: what it holds goes into a page; where none has room it stays. */
  giveUp(lane: Lane): void {
    this.finish(lane, lane.tokens.length);
    if (lane.held === 0) return;
    try {
      this.pageOut(lane);
    } catch {
      // It is as it was, and whoever is granted the lane has it vacated.
    }
  }

  /** Runs that wait for the prompt of another one share it when it is there, or as much of it as ever was. */
  shareWhatCame(): void {
    for (const lane of this.all) {
      const { run } = lane;
      if (run?.leader !== undefined && hasCome(run.leader)) this.#share(lane, run);
    }
  }

  /** Gives a lane whose run has its prompt before it what others hold of that, or has it wait for what one processes. */
  #share(lane: Lane, run: RunOnLane): void {
    const { sharing } = run.request;
    const others = sharing === 0 ? this.all : this.all.filter((other) => this.kv.agree(other, lane, sharing));
    const source = this.#shares ? chooseSource(lane, others) : undefined;
    run.leader = source?.run && source;
    if (run.leader !== undefined) return;
    if (source === undefined) return this.kv.tellShared([lane]);
    const shared = this.kv.share(source, lane);
    lane.held = shared;
    run.reused = shared;
    run.shared = shared;
    showLane(this.#status, lane, undefined);
    this.kv.tellShared([lane, source.lane]);
  }

  /** The run on a lane is over; the lane keeps its first `length` tokens, as far as the KV has them. */
  finish(lane: Lane, length: number): void {
    if (lane.run !== undefined) this.#byGrant.delete(lane.run.grant);
    lane.run = undefined;
    // An idle lane holds no gene back.
    this.#context.setGenes(lane.number, []);
    lane.tokens.length = length;
    if (lane.held > length) lane.held = this.kv.cut(lane, length);
    if (lane.held === 0) return this.empty(lane);
    showLane(this.#status, lane, undefined);
  }

  empty(lane: Lane): void {
    this.kv.clear(lane);
    Object.assign(lane, emptyLane(lane.number));
    showLane(this.#status, lane, undefined);
  }

  /** Empties idle lanes that still hold what they are taken to hold; what is to be kept goes into pages. */
  vacate(claims: readonly LaneClaim[]): void {
    for (const { lane: number, activity, keep } of claims) {
      const lane = this.all[number];
      const isThere = lane !== undefined && lane.run === undefined && lane.activity === activity;
      try {
        if (isThere && keep) this.#pages.out(lane);
        else if (keep) throw new EmptyLane({ name: activity });
      } catch (error) {
        this.#pages.failed(activity, error);
      }
      if (isThere) this.empty(lane);
    }
  }

  /**
   * A gene is gone: idle lanes keep only what they hold of the part that ran none, and stay their activities', whose next
   * run may be on its way. Answers what the broker is to hear.
   */
  forgetGene(gene: number): LaneShrank[] {
    const lanes = this.all.filter((lane) => lane.run === undefined && ranGene(lane, gene));
    return lanes.map((lane) => {
      this.#shrink(lane, lane.base);
      return { type: 'shrank', lane: lane.number, activity: lane.activity ?? '', held: lane.held };
    });
  }

  /** An idle lane keeps only so much of what it holds. */
  #shrink(lane: Lane, length: number): void {
    lane.held = this.kv.cut(lane, length);
    lane.tokens.length = lane.held;
    showLane(this.#status, lane, undefined);
  }

  /** Takes whatever lanes hold out into pages; no lane runs. */
  vacateAll(): void {
    const claims = this.all.flatMap(({ number: lane, activity, held }) =>
      activity === undefined || held === 0 ? [] : [{ lane, activity, keep: true }],
    );
    this.vacate(claims);
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

/** How much of what a lane holds is of use to a run. */
function reusable(lane: Lane, run: Run): number {
  if (lane.activity !== run.activity) return 0;
  const beginning = beginningOf(run);
  // What was computed under other genes means nothing under these; the last token is always processed again.
  return Math.min(alike(lane, beginning), lane.held, beginning.tokens.length - 1);
}
