/**
 * The engine actor: the one owner of the native context. It takes runs on lanes, steps while any lane has work, and
 * tells readers and minds what came out. It has verbs and refusals; who runs where is the broker's decision.
 * Cancels and new runs act between two steps: a step is idle work of the thread, done when no message is left.
 */
import type { NativeModel, StepStatus } from '../../native/addon.js';
import type { Behaviour, Context, Definition } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { type LeaseMessage, LeaseNews } from '../broker/lease-news.js';
import { doneOf, notBegun, soFarOf } from './done.js';
import { Early } from './early.js';
import type { Lane, RunOnLane } from './lane.js';
import type { WindowMessage } from './lane-window.js';
import type { Trim } from './leases.js';
import { carryOut } from './move.js';
import { openModel } from './open.js';
import { PieceMail } from './pieces.js';
import { type Effort, EnginePost, NO_EFFORT, NOTHING_LEFT, savedPages, savedShape } from './post.js';
import type { EngineArgs, EngineControl, EngineMessage, LeftIn, Run, RunOutcome, Work } from './protocol.js';
import type { EngineReady } from './ready.js';
import { laneRefusal, type Refusal, refusalFor, refusalOf, sharesLess, tooOld } from './refusal.js';
import { type Grown, Replies } from './reply.js';
import { Revoked } from './revoked.js';
import { count, Status } from './status.js';
import { Works } from './works.js';

/** Epochs of an engine that was started again begin above those of before. */
const EPOCHS_A_START = 2 ** 20;

class Engine implements Behaviour {
  readonly #args: EngineArgs;
  readonly #post: EnginePost;
  readonly #news: LeaseNews;
  readonly #works: Works;
  readonly #replies: Replies;
  readonly #revoked = new Revoked();
  readonly #early = new Early();
  readonly #pieces: PieceMail;
  readonly #loop: { wake(): void };
  /** Grants of an earlier epoch are void: it grows with each start and each reset. */
  #epoch: number;
  #leaving = false;

  constructor(ctx: Context, args: EngineArgs, model: NativeModel, saved: ReadonlyMap<string, unknown>) {
    this.#args = args;
    this.#news = new LeaseNews(ctx, args.broker, () => this.#works.leases());
    this.#post = new EnginePost(ctx, args, this.#news);
    this.#epoch = ctx.incarnation * EPOCHS_A_START;
    this.#replies = new Replies(model);
    this.#pieces = new PieceMail(ctx);
    const sink = {
      sampled: (lane: Lane, token: number) => this.#sampled(lane, token),
      failed: (lane: Lane, status: StepStatus) =>
        this.#end(lane, 'failed', toEnvelope(this.#works.failure(lane, status))),
    };
    const shape = savedShape(saved) ?? args.shape;
    this.#works = new Works(model, args, { shape, sink, ctx, news: this.#news, listener: this.#post });
    if (ctx.incarnation > 0) this.#works.pages.recover(savedPages(saved));
    this.#loop = ctx.work(() => this.#step());
    this.#sayUp();
  }

  receive(message: EngineMessage, ctx: Context): EngineReady | undefined {
    if (message.type === 'ready') return this.#works.ready();
    if (message.epoch !== this.#epoch || !this.#early.hold(message, ctx.sender)) {
      this.#take(message, ctx.sender);
    }
    return undefined;
  }

  control(message: EngineControl | WindowMessage | LeaseMessage | Trim): unknown {
    switch (message.type) {
      case 'ack':
        return this.#acknowledged(message.grant, message.pieces);
      case 'cancel':
        return this.#cut(message.grant, refusalFor('aborted', message.error));
      case 'yield':
        return this.#cut(message.grant, refusalFor('reclaimed', undefined), message.leftIn);
      case 'revoke':
        if (!this.#works.lanes.running(message.grant)) this.#post.neverRan(message.grant);
        return this.#cut(message.grant, refusalFor('reclaimed', message.error), message.leftIn);
      case 'vacate':
        for (const record of message.drop) this.#works.pages.drop(record);
        this.#works.lanes.vacate(message.claims);
        return this.#counted(message.epoch);
      case 'unloaded':
        this.#works.pages.forgetGenes();
        for (const shrank of this.#works.lanes.forgetGene(message.gene)) this.#post.shrank(shrank);
        return undefined;
      case 'adopt':
        this.#works.pages.takeOver(message.record);
        return this.#counted(message.epoch);
      case 'relaunch':
        return this.#newEpoch(this.#works.relaunch(message.shape));
      case 'trim':
        return this.#works.pages.trim(message.drop);
      case 'leases-changed':
      case 'leases-again':
        return this.#news.hear(message);
      case 'reset':
        return this.#reset();
      case 'unheard':
        if (message.epoch === this.#epoch) this.#sayUp();
        return undefined;
      default:
        return this.#works.window.hear(message);
    }
  }

  stop(): void {
    this.#leaving = true;
    this.#works.close();
  }

  #step(): boolean {
    if (this.#leaving) return false;
    this.#works.lanes.shareWhatCame();
    if (!this.#works.stepper.step()) return false;
    this.#pieces.send();
    this.#works.lanes.showStep();
    return true;
  }

  // What others want

  #acknowledged(grant: number, pieces: number): void {
    const lane = this.#works.lanes.running(grant);
    if (lane?.run === undefined) return;
    this.#pieces.add(lane, lane.run.window.ack(pieces));
    this.#pieces.send();
  }

  /** Ends a run so; if it has not come yet, it is refused so when it comes. */
  #cut(grant: number, refusal: Refusal, leftIn: LeftIn = 'page'): void {
    const lane = this.#works.lanes.running(grant);
    if (lane !== undefined) this.#end(lane, refusal.outcome, refusal.error, leftIn);
    else this.#revoked.add(grant, refusal);
  }

  /** The broker was heard once more; there may be work that waited for that. */
  #counted(epoch: number): void {
    if (epoch !== this.#epoch) return;
    for (const { work, from } of this.#early.vacated()) this.#take(work, from);
  }

  #reset(): void {
    const { lanes } = this.#works;
    // Sent back, for nobody wants its lane: even a turn that a reclaim ends goes on.
    const { outcome, error } = tooOld();
    for (const lane of lanes.all) if (lane.run !== undefined) this.#end(lane, outcome, error);
    lanes.vacateAll();
    this.#newEpoch();
  }

  /** Whatever is granted for what was before is too old from now on. */
  #newEpoch(error?: ErrorEnvelope): void {
    this.#epoch++;
    for (const { work, from } of this.#early.reset()) this.#take(work, from);
    this.#sayUp(error);
  }

  #sayUp(error?: ErrorEnvelope): void {
    const { shape, pages } = this.#works;
    this.#post.up(this.#epoch, shape, pages.all(), error);
  }

  #take(work: Work, from: ActorId): void {
    const refusal = this.#refusal(work);
    if (work.type !== 'run') {
      this.#post.answerMove(from, carryOut(this.#works.lanes, work, refusal));
      this.#over(work);
    } else if (refusal === undefined) this.#begin(work, from);
    else this.#refuse(work, from, refusal);
  }

  /** Why work cannot begin; undefined when it can. */
  #refusal(work: Work): Refusal | undefined {
    if (work.epoch !== this.#epoch) return tooOld();
    const { lanes } = this.#works;
    const refusal = this.#revoked.take(work.grant) ?? laneRefusal(work, lanes.all[work.lane]);
    if (refusal !== undefined || work.type !== 'run' || lanes.keepsShared(work)) return refusal;
    return sharesLess(work);
  }

  #begin(run: Run, mind: ActorId): void {
    let lane: Lane;
    try {
      lane = this.#works.lanes.begin(run, mind);
    } catch (error) {
      this.#refuse(run, mind, refusalOf(error));
      return;
    }
    this.#loop.wake();
    if (run.soFar === undefined) return;
    this.#grow(lane, this.#replies.takeUp(lane.run as RunOnLane, run.soFar));
    this.#pieces.send();
  }

  #refuse(run: Run, mind: ActorId, refusal: Refusal): void {
    this.#post.done(mind, notBegun(run.grant, refusal));
    this.#over(run);
  }

  #sampled(lane: Lane, token: number): void {
    const run = lane.run as RunOnLane;
    if (run.firstTokenAt === 0) run.firstTokenAt = performance.now();
    count(this.#args.status, Status.produced, 1);
    this.#grow(lane, this.#replies.grow(lane, run, token));
  }

  /** The reply on a lane has new text, and ends if it is whole. */
  #grow(lane: Lane, { text, stopped }: Grown): void {
    const run = lane.run as RunOnLane;
    this.#pieces.add(lane, run.window.push(text));
    if (stopped) this.#end(lane, 'stop');
    else if (run.produced >= run.request.maxTokens) this.#end(lane, 'length');
  }

  /** Ends the run on a lane: the lane is cut back to the last token accepted, mind and broker are told. */
  #end(lane: Lane, outcome: RunOutcome, error?: ErrorEnvelope, leftIn: LeftIn = 'page'): void {
    const { lanes } = this.#works;
    const run = lane.run as RunOnLane;
    const soFar = outcome === 'reclaimed' ? soFarOf(lane, run) : undefined;
    const reply = this.#replies.finish(lane, run);
    const kept = soFar === undefined ? run.replyAt + reply.kept : lane.tokens.length;
    if (soFar === undefined || leftIn === 'lane') lanes.finish(lane, kept);
    else lanes.giveUp(lane);
    count(this.#args.status, Status.processed, run.processed);
    const done = doneOf(run, reply, soFar, outcome, error, performance.now());
    this.#post.done(run.mind, done);
    this.#over(run.request, done);
  }

  #over(work: Work, effort: Effort = NO_EFFORT): void {
    const { lanes, pages } = this.#works;
    const lane = lanes.all[work.lane];
    const left =
      lane === undefined
        ? NOTHING_LEFT
        : { bytes: pages.bytesOf(lane), stretches: lanes.kv.over(lane, work.grant) };
    this.#post.ran(work, lane, left, effort);
  }
}

const engine: Definition<EngineArgs> = {
  kind: 'engine',
  start(ctx, args, saved) {
    const model = openModel(args, saved.get('model') as number | undefined);
    ctx.save('model', model.info.id);
    try {
      return new Engine(ctx, args, model, saved);
    } catch (error) {
      model.close();
      throw error;
    }
  },
};

export default engine;
