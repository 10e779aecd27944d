/**
 * The engine actor: the one owner of the native context. It takes runs on lanes, steps while any lane has work, and
 * tells minds what came out. It has verbs and refusals; who runs where is the broker's decision.
 *
 * Its handlers only note what is wanted. Everything native happens in `#work`, between two slices of the thread's loop.
 */
import { ContextFull, DecodeFailed, EngineLost, LaneMismatch } from '../../errors.js';
import { type NativeContext, type NativeModel, StepStatus } from '../../native/addon.js';
import type { Behaviour, Context, Definition } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { beginRun, commonPrefix, emptyLane, type Lane, type RunOnLane, tokensWithin } from './lane.js';
import { openContext, openModel } from './open.js';
import type {
  EngineArgs,
  EngineControl,
  EngineMessage,
  EngineReady,
  EngineToBroker,
  EngineToMind,
  LaneClaim,
  Run,
  RunOutcome,
} from './protocol.js';
import { Revoked } from './revoked.js';
import { count, Status, showLane } from './status.js';
import { Stepper } from './stepper.js';

interface Refusal {
  readonly outcome: RunOutcome;
  readonly error: ErrorEnvelope | undefined;
}

class Engine implements Behaviour {
  readonly #ctx: Context;
  readonly #args: EngineArgs;
  readonly #model: NativeModel;
  readonly #context: NativeContext;
  readonly #lanes: Lane[];
  readonly #byGrant = new Map<number, Lane>();
  readonly #revoked = new Revoked();
  readonly #stepper: Stepper;
  readonly #pieces: { bytes: Uint8Array; offsets: Uint32Array };
  readonly #ends: ReadonlySet<number>;
  readonly #loop: { wake(): void };
  #order = 0;
  #leaving = false;

  constructor(ctx: Context, args: EngineArgs, model: NativeModel) {
    this.#ctx = ctx;
    this.#args = args;
    this.#model = model;
    this.#context = openContext(model, args);
    this.#pieces = model.pieces();
    this.#ends = new Set(model.ends());
    this.#lanes = Array.from({ length: args.lanes }, (_, number) => emptyLane(number));
    this.#stepper = new Stepper(
      this.#context,
      this.#lanes,
      {
        sampled: (lane, token) => this.#sampled(lane, token),
        failed: (lane, status) => this.#failed(lane, status),
      },
      { split: model.info.recurrent || model.info.hybrid },
    );
    this.#loop = ctx.work(() => this.#step());
    this.#sayUp();
  }

  receive(message: EngineMessage, ctx: Context): EngineReady | undefined {
    if (message.type === 'ready') return { model: this.#model.info.id };
    const refusal = this.#refusal(message);
    if (refusal !== undefined) this.#refuse(message, ctx.sender, refusal);
    else this.#begin(message, ctx.sender);
    return undefined;
  }

  control(message: EngineControl): void {
    switch (message.type) {
      case 'ack':
        return this.#acknowledged(message.grant, message.pieces);
      case 'cancel':
        return this.#cancel(message.grant, message.error);
      case 'revoke':
        if (!this.#byGrant.has(message.grant)) this.#tellBroker({ type: 'never-ran', grant: message.grant });
        return this.#cancel(message.grant, message.error);
      case 'clear':
        return this.#clear(message.claims);
      case 'reset':
        return this.#reset(message.error);
    }
  }

  stop(): void {
    this.#leaving = true;
    this.#context.close();
    this.#model.close();
  }

  #sayUp(): void {
    this.#tellBroker({
      type: 'up',
      engine: this.#ctx.self,
      epoch: this.#ctx.incarnation,
      lanes: this.#args.lanes,
      cells: this.#args.cells,
      context: this.#args.context,
    });
  }

  #step(): boolean {
    if (this.#leaving || !this.#stepper.step()) return false;
    count(this.#args.status, Status.steps, 1);
    for (const lane of this.#lanes) if (lane.run !== undefined) showLane(this.#args.status, lane, undefined);
    return true;
  }

  #acknowledged(grant: number, pieces: number): void {
    const run = this.#byGrant.get(grant)?.run;
    const piece = run?.window.ack(pieces);
    if (run !== undefined && piece !== undefined) this.#send(run, piece);
  }

  #cancel(grant: number, error: ErrorEnvelope | undefined): void {
    const lane = this.#byGrant.get(grant);
    if (lane !== undefined) this.#end(lane, error === undefined ? 'aborted' : 'failed', error);
    else this.#revoked.add(grant, error);
  }

  #clear(claims: readonly LaneClaim[]): void {
    for (const claim of claims) {
      const lane = this.#lanes[claim.lane];
      if (lane !== undefined && lane.run === undefined && lane.activity === claim.activity) this.#empty(lane);
    }
  }

  #reset(error: ErrorEnvelope): void {
    for (const lane of this.#lanes) {
      if (lane.run !== undefined) this.#end(lane, 'failed', error);
      this.#empty(lane);
    }
    this.#sayUp();
  }

  /** Why a run cannot begin; undefined when it can. */
  #refusal(run: Run): Refusal | undefined {
    if (run.epoch !== this.#ctx.incarnation) {
      const error = new EngineLost({ reason: 'the engine was started again after the lane was granted' });
      return { outcome: 'failed', error: toEnvelope(error) };
    }
    const revoked = this.#revoked.take(run.grant);
    if (revoked !== undefined) {
      return { outcome: revoked.error === undefined ? 'aborted' : 'failed', error: revoked.error };
    }
    const lane = this.#lanes[run.lane];
    const expected = run.continues ? run.activity : 'no run';
    let actual = lane?.activity ?? 'nothing';
    if (lane === undefined) actual = 'no such lane';
    else if (lane.run !== undefined) actual = `a run of ${lane.activity}`;
    else if (!run.continues || lane.activity === run.activity) return undefined;
    return { outcome: 'failed', error: toEnvelope(new LaneMismatch({ lane: run.lane, expected, actual })) };
  }

  #refuse(run: Run, mind: ActorId, refusal: Refusal): void {
    this.#tellMind(mind, {
      type: 'done',
      grant: run.grant,
      text: '',
      pieces: 0,
      reply: new Int32Array(0),
      produced: 0,
      processed: 0,
      reused: 0,
      times: { waitedMs: 0, promptMs: 0, decodeMs: 0 },
      ...refusal,
    });
    const lane = this.#lanes[run.lane];
    const { activity, held } = lane ?? { activity: undefined, held: 0 };
    this.#tellBroker({
      type: 'ran',
      grant: run.grant,
      lane: run.lane,
      activity,
      held,
      processed: 0,
      produced: 0,
    });
  }

  #begin(run: Run, mind: ActorId): void {
    const lane = this.#lanes[run.lane] as Lane;
    let reused = 0;
    if (lane.activity === run.activity) {
      // The last token is always processed again: its logits are what the first sample is drawn from.
      reused = Math.min(commonPrefix(lane.tokens, lane.held, run.tokens), run.tokens.length - 1);
      if (reused < lane.held && !this.#context.cut(lane.number, reused)) reused = 0;
    }
    if (reused === 0) this.#context.clear(lane.number);
    this.#context.setSampler(lane.number, run.sampling, new Int32Array(0));
    beginRun(lane, run, mind, this.#order++, reused, performance.now());
    this.#byGrant.set(run.grant, lane);
    showLane(this.#args.status, lane, mind);
    this.#loop.wake();
  }

  #empty(lane: Lane): void {
    this.#context.clear(lane.number);
    Object.assign(lane, emptyLane(lane.number));
    showLane(this.#args.status, lane, undefined);
  }

  #sampled(lane: Lane, token: number): void {
    const run = lane.run as RunOnLane;
    if (run.firstTokenAt === 0) run.firstTokenAt = performance.now();
    run.produced++;
    count(this.#args.status, Status.produced, 1);
    if (this.#ends.has(token)) {
      this.#end(lane, 'stop');
      return;
    }
    lane.tokens.push(token);
    const { bytes, offsets } = this.#pieces;
    const from = offsets[token] as number;
    const to = offsets[token + 1] as number;
    run.byteEnds.push((run.byteEnds.at(-1) ?? 0) + to - from);
    const { text, stopped } = run.stream.push(bytes.subarray(from, to));
    const piece = run.window.push(text, 1);
    if (piece !== undefined) this.#send(run, piece);
    if (stopped) this.#end(lane, 'stop');
    else if (run.produced >= run.request.maxTokens) this.#end(lane, 'length');
  }

  #send(run: RunOnLane, piece: { text: string; tokens: number }): void {
    this.#tellMind(run.mind, { type: 'piece', grant: run.grant, ...piece });
  }

  #failed(lane: Lane, status: StepStatus): void {
    const need = lane.tokens.length;
    const error =
      status === StepStatus.noRoom
        ? new ContextFull({ needTokens: need, roomTokens: this.#room(lane), contextTokens: this.#args.cells })
        : new DecodeFailed({ lane: lane.number, reason: `llama_decode answered ${status}` });
    this.#end(lane, 'failed', toEnvelope(error));
  }

  #room(lane: Lane): number {
    return this.#lanes.reduce((room, other) => room - (other === lane ? 0 : other.held), this.#args.cells);
  }

  /** Ends the run on a lane: the lane is cut back to the last token accepted, mind and broker are told. */
  #end(lane: Lane, outcome: RunOutcome, error?: ErrorEnvelope): void {
    const run = lane.run as RunOnLane;
    lane.run = undefined;
    this.#byGrant.delete(run.grant);
    const text = run.window.rest() + run.stream.end();
    const accepted = run.stream.acceptedBytes - run.stream.tail.length;
    const kept = tokensWithin(run.byteEnds, accepted);
    const reply = this.#replyTokens(lane, run, kept, accepted);
    this.#keep(lane, run.replyAt + kept);
    showLane(this.#args.status, lane, undefined);
    count(this.#args.status, Status.processed, run.processed);
    const now = performance.now();
    const startedAt = run.startedAt || now;
    const firstTokenAt = run.firstTokenAt || now;
    this.#tellMind(run.mind, {
      type: 'done',
      grant: run.grant,
      outcome,
      text,
      pieces: run.window.sent,
      reply,
      produced: run.produced,
      processed: run.processed,
      reused: run.reused,
      times: {
        waitedMs: startedAt - run.arrivedAt,
        promptMs: firstTokenAt - startedAt,
        decodeMs: now - firstTokenAt,
      },
      error,
    });
    this.#tellBroker({
      type: 'ran',
      grant: run.grant,
      lane: lane.number,
      activity: lane.activity,
      held: lane.held,
      processed: run.processed,
      produced: run.produced,
    });
  }

  /** The tokens of the reply as far as it was accepted; a token that a stop string cut in two is tokenised anew. */
  #replyTokens(lane: Lane, run: RunOnLane, kept: number, accepted: number): Int32Array {
    const whole = lane.tokens.slice(run.replyAt, run.replyAt + kept);
    const from = run.byteEnds[kept - 1] ?? 0;
    if (from === accepted) return Int32Array.from(whole);
    const token = lane.tokens[run.replyAt + kept] as number;
    const at = this.#pieces.offsets[token] as number;
    const cut = new TextDecoder().decode(this.#pieces.bytes.subarray(at, at + accepted - from));
    return Int32Array.from([...whole, ...this.#model.tokenize(cut, { special: false, continues: true })]);
  }

  /** Shortens what a lane holds to `length` tokens. */
  #keep(lane: Lane, length: number): void {
    lane.tokens.length = length;
    if (lane.held > length && !this.#context.cut(lane.number, length)) this.#stepper.restart(lane);
    lane.held = Math.min(lane.held, length);
    if (lane.held === 0) Object.assign(lane, emptyLane(lane.number));
  }

  #tellMind(mind: ActorId, message: EngineToMind): void {
    this.#ctx.tell(mind, message, { band: Band.reserved });
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
