/**
 * The engine actor: the one owner of the native context. It takes runs on lanes, steps while any lane has work, and
 * tells readers and minds what came out. It has verbs and refusals; who runs where is the broker's decision.
 *
 * Cancels and new runs act between two steps: a step is idle work of the thread, done when no message is left.
 */
import { ContextFull, DecodeFailed } from '../../errors.js';
import { type NativeContext, type NativeModel, StepStatus } from '../../native/addon.js';
import type { Behaviour, Context, Definition } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { EarlyRuns } from './early.js';
import type { Lane, RunOnLane } from './lane.js';
import { Lanes } from './lanes.js';
import { openContext, openModel } from './open.js';
import { PieceMail } from './pieces.js';
import type {
  EngineArgs,
  EngineControl,
  EngineMessage,
  EngineReady,
  EngineToBroker,
  Run,
  RunDone,
  RunOutcome,
} from './protocol.js';
import { laneRefusal, NOTHING_DONE, notBegun, type Refusal, tooOld } from './refusal.js';
import { Replies } from './reply.js';
import { Revoked } from './revoked.js';
import { count, Status } from './status.js';
import { Stepper } from './stepper.js';
import { sayUp } from './up.js';

/** Epochs of an engine that was started again begin above those of before. */
const EPOCHS_A_START = 2 ** 20;

class Engine implements Behaviour {
  readonly #ctx: Context;
  readonly #args: EngineArgs;
  readonly #model: NativeModel;
  readonly #context: NativeContext;
  readonly #lanes: Lanes;
  readonly #replies: Replies;
  readonly #revoked = new Revoked();
  readonly #early = new EarlyRuns();
  readonly #pieces: PieceMail;
  readonly #stepper: Stepper;
  readonly #loop: { wake(): void };
  /** Grants of an earlier epoch are void: it grows with each start and each reset. */
  #epoch: number;
  #leaving = false;

  constructor(ctx: Context, args: EngineArgs, model: NativeModel) {
    this.#ctx = ctx;
    this.#args = args;
    this.#model = model;
    this.#epoch = ctx.incarnation * EPOCHS_A_START;
    this.#context = openContext(model, args);
    const { canRollBack, recurrent, hybrid } = model.info;
    this.#lanes = new Lanes(this.#context, args.status, { shares: canRollBack });
    this.#replies = new Replies(model);
    this.#pieces = new PieceMail(ctx);
    const sink = {
      sampled: (lane: Lane, token: number) => this.#sampled(lane, token),
      failed: (lane: Lane, status: StepStatus) => this.#failed(lane, status),
    };
    this.#stepper = new Stepper(this.#context, this.#lanes.all, sink, ctx, recurrent || hybrid);
    this.#loop = ctx.work(() => this.#step());
    sayUp(this.#ctx, this.#args, this.#epoch);
  }

  receive(message: EngineMessage, ctx: Context): EngineReady | undefined {
    if (message.type === 'ready') return { model: this.#model.info.id };
    if (message.epoch !== this.#epoch || !this.#early.hold(message, ctx.sender)) {
      this.#take(message, ctx.sender);
    }
    return undefined;
  }

  control(message: EngineControl): void {
    switch (message.type) {
      case 'ack':
        return this.#acknowledged(message.grant, message.pieces);
      case 'cancel':
        return this.#cancel(message.grant, message.error);
      case 'revoke':
        if (!this.#lanes.running(message.grant))
          this.#tellBroker({ type: 'never-ran', grant: message.grant });
        return this.#cancel(message.grant, message.error);
      case 'clear':
        this.#lanes.clear(message.claims);
        if (message.epoch !== this.#epoch) return;
        for (const { run, mind } of this.#early.cleared()) this.#take(run, mind);
        return;
      case 'unloaded':
        for (const shrank of this.#lanes.forgetGene(message.gene)) this.#tellBroker(shrank);
        return;
      case 'reset':
        return this.#reset(message.error);
      case 'unheard':
        return message.epoch === this.#epoch ? sayUp(this.#ctx, this.#args, this.#epoch) : undefined;
    }
  }

  stop(): void {
    this.#leaving = true;
    this.#lanes.close();
    this.#context.close();
    this.#model.close();
  }

  #step(): boolean {
    if (this.#leaving) return false;
    this.#lanes.shareWhatCame();
    if (!this.#stepper.step()) return false;
    this.#pieces.send();
    this.#lanes.showStep();
    return true;
  }

  // What others want

  #acknowledged(grant: number, pieces: number): void {
    const run = this.#lanes.running(grant)?.run;
    if (run === undefined) return;
    this.#pieces.add(run, run.window.ack(pieces));
    this.#pieces.send();
  }

  #cancel(grant: number, error: ErrorEnvelope | undefined): void {
    const lane = this.#lanes.running(grant);
    const outcome = error === undefined ? 'aborted' : 'failed';
    if (lane !== undefined) this.#end(lane, outcome, error);
    else this.#revoked.add(grant, { outcome, error });
  }

  #reset(error: ErrorEnvelope): void {
    for (const lane of this.#lanes.all) {
      if (lane.run !== undefined) this.#end(lane, 'failed', error);
      this.#lanes.empty(lane);
    }
    this.#epoch++;
    for (const { run, mind } of this.#early.reset()) this.#take(run, mind);
    sayUp(this.#ctx, this.#args, this.#epoch);
  }

  #take(run: Run, mind: ActorId): void {
    const refusal = this.#refusal(run);
    if (refusal !== undefined) this.#refuse(run, mind, refusal);
    else this.#begin(run, mind);
  }

  /** Why a run cannot begin; undefined when it can. */
  #refusal(run: Run): Refusal | undefined {
    if (run.epoch !== this.#epoch) return tooOld();
    return this.#revoked.take(run.grant) ?? laneRefusal(run, this.#lanes.all[run.lane]);
  }

  #begin(run: Run, mind: ActorId): void {
    try {
      this.#lanes.begin(run, mind);
      this.#loop.wake();
    } catch (error) {
      this.#refuse(run, mind, notBegun(error));
    }
  }

  #refuse(run: Run, mind: ActorId, refusal: Refusal): void {
    const { grant, lane } = run;
    this.#tellMind(mind, { type: 'done', grant, ...NOTHING_DONE, ...refusal });
    const { activity, held } = this.#lanes.all[lane] ?? { activity: undefined, held: 0 };
    this.#tellBroker({ type: 'ran', grant, lane, activity, held, processed: 0, produced: 0 });
  }

  #sampled(lane: Lane, token: number): void {
    const run = lane.run as RunOnLane;
    if (run.firstTokenAt === 0) run.firstTokenAt = performance.now();
    count(this.#args.status, Status.produced, 1);
    const { text, stopped } = this.#replies.grow(lane, run, token);
    run.text += text;
    this.#pieces.add(run, run.window.push(text));
    if (stopped) this.#end(lane, 'stop');
    else if (run.produced >= run.request.maxTokens) this.#end(lane, 'length');
  }

  #failed(lane: Lane, status: StepStatus): void {
    const { cells } = this.#args;
    const error =
      status === StepStatus.noRoom
        ? new ContextFull({
            needTokens: lane.tokens.length,
            roomTokens: cells - this.#lanes.heldBeside(lane),
            contextTokens: cells,
          })
        : new DecodeFailed({ lane: lane.number, reason: this.#context.failure() });
    this.#end(lane, 'failed', toEnvelope(error));
  }

  /** Ends the run on a lane: the lane is cut back to the last token accepted, mind and broker are told. */
  #end(lane: Lane, outcome: RunOutcome, error?: ErrorEnvelope): void {
    const run = lane.run as RunOnLane;
    const { activity } = lane;
    const reply = this.#replies.finish(lane, run);
    this.#lanes.finish(lane, run.replyAt + reply.kept);
    count(this.#args.status, Status.processed, run.processed);
    const now = performance.now();
    const startedAt = run.startedAt || now;
    const firstTokenAt = run.firstTokenAt || now;
    const { grant, produced, processed, reused, shared } = run;
    this.#tellMind(run.mind, {
      type: 'done',
      grant,
      outcome,
      text: run.text + reply.text,
      rest: run.window.rest() + reply.text,
      pieces: run.window.sent,
      reply: reply.tokens,
      produced,
      processed,
      reused,
      shared,
      times: {
        waitedMs: startedAt - run.arrivedAt,
        promptMs: firstTokenAt - startedAt,
        decodeMs: now - firstTokenAt,
      },
      error,
    });
    const { held } = lane;
    const holds = held > 0 ? activity : undefined;
    this.#tellBroker({ type: 'ran', grant, lane: lane.number, activity: holds, held, processed, produced });
  }

  #tellMind(mind: ActorId, message: RunDone): void {
    this.#ctx.tell(mind, { ...message }, { band: Band.reserved });
  }

  #tellBroker(message: EngineToBroker): void {
    this.#ctx.tell(this.#args.broker, message, { band: Band.reserved });
  }
}

const engine: Definition<EngineArgs> = {
  kind: 'engine',
  start(ctx, args, saved) {
    const model = openModel(args, saved.get('model') as number | undefined);
    ctx.save('model', model.info.id);
    try {
      return new Engine(ctx, args, model);
    } catch (error) {
      model.close();
      throw error;
    }
  },
};

export default engine;
