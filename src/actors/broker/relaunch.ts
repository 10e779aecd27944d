/**
 * A relaunch that was asked for. Nothing is granted until all that was granted is over, for which what runs gives up its
 * lanes; then the engine is told to make its context anew, and the one who asked is answered by what it says when it is up
 * again.
 */
import { DeadlineExceeded, EngineLost, fromEnvelope, MailboxFull } from '../../errors.js';
import type { Context, Reply } from '../../runtime/actor.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import type { EngineControl, Shape } from '../engine/protocol.js';
import type { TurnClass } from './protocol.js';
import type { Reclaims } from './reclaims.js';

/** What is done before the context is made anew may take so long: nothing is granted meanwhile, and turns have deadlines. */
const BEFORE_MS = 5_000;

interface Asked {
  readonly shape: Shape;
  /** What is granted may take so long to be over. */
  readonly deadlineMs: number;
  readonly reply: Reply;
  /** Turns of this class and those below it give up their lanes, once no other runs. */
  readonly reclaims: TurnClass;
  /** What is done before, when nothing is granted any more, for as long as it may go on. */
  readonly before?: ((goesOn: () => boolean) => Promise<void>) | undefined;
}

interface Wanted extends Asked {
  readonly endsAt: number;
  /** Takes back its deadlines. */
  forget: () => void;
  stage: 'asked' | 'preparing' | 'ready' | 'told';
}

export class Relaunch {
  readonly #ctx: Context;
  readonly #settle: () => void;
  #wanted: Wanted | undefined;

  /** `settle`: has the broker look whether it can be done now. */
  constructor(ctx: Context, settle: () => void) {
    this.#ctx = ctx;
    this.#settle = settle;
  }

  /** Another one that is asked for meanwhile is refused. */
  ask(asked: Asked): void {
    const ctx = this.#ctx;
    const { deadlineMs, reply } = asked;
    if (this.#wanted !== undefined) {
      reply.reject(new MailboxFull({ actor: ctx.name, band: 'user', bound: 1 }));
      return;
    }
    const endsAt = ctx.now + deadlineMs;
    const forget = ctx.after(deadlineMs, { type: 'late' });
    this.#wanted = { ...asked, endsAt, forget, stage: 'asked' };
    this.#settle();
  }

  /** The broker wants it itself, for memory: no realtime turn gives up its lane for that. Rejects as `ask` refuses. */
  resize(shape: Shape, deadlineMs: number, before: Asked['before']): Promise<Shape> {
    return new Promise((resolve, reject) => {
      const reply = { resolve: (made: unknown) => resolve(made as Shape), reject };
      this.ask({ shape, deadlineMs, reply, reclaims: 'interactive', before });
    });
  }

  get isWanted(): boolean {
    return this.#wanted !== undefined;
  }

  /** What lanes hold is on its way out of memory: nothing is read into it from disk. */
  get isForRoom(): boolean {
    return this.#wanted?.before !== undefined && this.#wanted.stage !== 'asked';
  }

  /** Wants lanes back, if it waits for them. */
  reclaim(reclaims: Reclaims): void {
    const wanted = this.#wanted;
    if (wanted?.stage !== 'asked') return;
    const leftIn = wanted.before === undefined ? 'page' : 'lane';
    reclaims.askAll(wanted.reclaims, wanted.endsAt - this.#ctx.now, leftIn);
  }

  /** Whether grants have to wait for it; tells the engine as soon as nothing is granted. */
  holds(granted: number, tell: (message: EngineControl) => void): boolean {
    const wanted = this.#wanted;
    if (wanted !== undefined && granted === 0) {
      if (wanted.stage === 'asked') this.#prepare(wanted);
      if (wanted.stage === 'ready') {
        wanted.stage = 'told';
        tell({ type: 'relaunch', shape: wanted.shape });
      }
    }
    return wanted !== undefined;
  }

  #prepare(wanted: Wanted): void {
    const { before, forget } = wanted;
    wanted.stage = before === undefined ? 'ready' : 'preparing';
    if (before === undefined) return;
    const takeBack = this.#ctx.after(BEFORE_MS, { type: 'late' });
    wanted.forget = () => {
      takeBack();
      forget();
    };
    const ready = (): void => {
      if (wanted.stage === 'preparing') wanted.stage = 'ready';
      this.#settle();
    };
    before(() => this.#wanted === wanted && wanted.stage === 'preparing').then(ready, ready);
  }

  /** An engine is up: the one that was told, or one that was started again. */
  up(shape: Shape, error: ErrorEnvelope | undefined): void {
    const { shape: wanted, stage } = this.#wanted ?? {};
    if (stage !== 'told') return;
    if (error !== undefined) this.#take()?.reply.reject(fromEnvelope(error));
    else if (wanted?.lanes === shape.lanes && wanted.cells === shape.cells)
      this.#take()?.reply.resolve(shape);
    else this.#take()?.reply.reject(new EngineLost({ reason: 'it came back as it was before' }));
  }

  /**
   * Its deadline is past, or that of what is done before: grants go on, unless the lanes are free and an engine is up or has
   * time to come, or one is at it.
   */
  late(isUp: boolean): void {
    const wanted = this.#wanted;
    if (wanted === undefined || (isUp && wanted.stage === 'told')) return;
    if (wanted.stage !== 'asked' && (isUp || this.#ctx.now < wanted.endsAt)) {
      wanted.stage = 'ready';
      return this.#settle();
    }
    const what = isUp ? 'the relaunch, waiting for turns to end,' : 'the relaunch, waiting for the engine,';
    this.#take()?.reply.reject(new DeadlineExceeded({ what, deadlineMs: wanted.deadlineMs }));
  }

  /** The engine that was told is gone. */
  lost(reason: string): void {
    if (this.#wanted?.stage === 'told') this.#take()?.reply.reject(new EngineLost({ reason }));
  }

  #take(): Wanted | undefined {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.forget();
    return wanted;
  }
}
