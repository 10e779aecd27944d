/**
 * The native context and what works on it: lanes, steps, pages. A relaunch makes the context anew with other numbers.
 */
import { ContextFull, DecodeFailed, type TroupeError } from '../../errors.js';
import { type NativeContext, type NativeModel, StepStatus } from '../../native/addon.js';
import { loadAddon } from '../../native/load.js';
import type { Context } from '../../runtime/actor.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import type { LeaseNews } from '../broker/lease-news.js';
import type { Holds } from '../broker/leases.js';
import { type CheckpointListener, Checkpoints } from './checkpoints.js';
import type { SharingListener } from './kv.js';
import type { Lane } from './lane.js';
import { LaneWindow } from './lane-window.js';
import { Lanes } from './lanes.js';
import { engineLeases } from './leases.js';
import { openContext } from './open.js';
import { type PageListener, Pages } from './pages.js';
import type { EngineArgs, Shape } from './protocol.js';
import type { EngineReady } from './ready.js';
import { showShape } from './status.js';
import { type StepClock, Stepper, type StepSink } from './stepper.js';

interface Beginning {
  readonly shape: Shape;
  readonly sink: StepSink;
  readonly ctx: Context;
  readonly news: LeaseNews;
  readonly listener: PageListener & CheckpointListener & SharingListener;
}

export class Works {
  readonly pages: Pages;
  readonly window: LaneWindow;
  readonly #model: NativeModel;
  readonly #args: EngineArgs;
  readonly #sink: StepSink;
  readonly #clock: StepClock;
  readonly #listener: CheckpointListener & SharingListener;
  #shape: Shape;
  #context: NativeContext;
  #checkpoints: Checkpoints;
  #lanes: Lanes;
  #stepper: Stepper;

  constructor(model: NativeModel, args: EngineArgs, { shape, sink, ctx, news, listener }: Beginning) {
    this.#model = model;
    this.#args = args;
    this.#sink = sink;
    this.#clock = ctx;
    this.#listener = listener;
    this.#shape = shape;
    this.#context = openContext(model, args, shape);
    this.pages = new Pages(args, model, this.#context, loadAddon().pages, listener);
    this.#checkpoints = this.#newCheckpoints();
    this.#lanes = this.#newLanes();
    this.#stepper = this.#newStepper();
    this.window = new LaneWindow(ctx, news, this);
  }

  ready(): EngineReady {
    return { model: this.#model.info.id, fingerprint: this.#context.fingerprint };
  }

  get shape(): Shape {
    return this.#shape;
  }

  get context(): NativeContext {
    return this.#context;
  }

  get lanes(): Lanes {
    return this.#lanes;
  }

  get stepper(): Stepper {
    return this.#stepper;
  }

  /**
   * When nothing runs: what lanes hold goes into pages, and the context is made anew. Answers why it could not be; it is then
   * made as it was before. Throws what that throws.
   */
  relaunch(shape: Shape): ErrorEnvelope | undefined {
    this.#lanes.vacateAll();
    this.#context.close();
    let error: ErrorEnvelope | undefined;
    try {
      this.#context = openContext(this.#model, this.#args, shape);
      this.#shape = shape;
    } catch (thrown) {
      error = toEnvelope(thrown);
      this.#context = openContext(this.#model, this.#args, this.#shape);
    }
    this.pages.use(this.#context);
    this.#checkpoints = this.#newCheckpoints();
    this.#lanes = this.#newLanes();
    this.#stepper = this.#newStepper();
    return error;
  }

  /** Why the rows of a lane failed, alone too. */
  failure({ number, tokens }: Lane, status: StepStatus): TroupeError {
    if (status !== StepStatus.noRoom) {
      return new DecodeFailed({ lane: number, reason: this.#context.failure() });
    }
    const { cells } = this.#shape;
    const roomTokens = cells - this.#lanes.kv.heldBeside(number);
    return new ContextFull({ needTokens: tokens.length, roomTokens, contextTokens: cells });
  }

  /** What the model, its context, and the store of pages hold of memory, as measured. */
  leases(): Omit<Holds, 'type'> {
    return engineLeases(this.#model, this.#context, this.#shape);
  }

  close(): void {
    this.#lanes.close();
    this.#context.close();
    this.#model.close();
  }

  #newCheckpoints(): Checkpoints {
    const { canRollBack, slidingWindow } = this.#model.info;
    const keeps = !canRollBack || slidingWindow > 0;
    return new Checkpoints(this.#context, this.#args.status, this.#listener, keeps);
  }

  #newLanes(): Lanes {
    const { status } = this.#args;
    showShape(status, this.#shape);
    const { canRollBack: shares, slidingWindow } = this.#model.info;
    const options = { shares, keeps: slidingWindow === 0, listener: this.#listener };
    return new Lanes(this.#context, this.pages, this.#checkpoints, status, options);
  }

  #newStepper(): Stepper {
    const { recurrent, hybrid } = this.#model.info;
    const { all } = this.#lanes;
    const split = recurrent || hybrid;
    return new Stepper(this.#context, all, this.#checkpoints, this.#sink, this.#clock, split);
  }
}
