/**
 * The runs of a mind's turns: begun when a lane is granted, ended by the engine's last word. A run that was reclaimed, or
 * whose engine was lost, is not the end of its turn: what was said stays, and the turn asks for a lane again.
 *
 * Of a run without a last word only the reader knows how far it came, and is asked.
 */
import type { Context } from '../../runtime/actor.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import type { BrokerToMind } from '../broker/protocol.js';
import type { RunDone } from '../engine/protocol.js';
import type { Post } from './post.js';
import type { MindArgs, MindControl } from './protocol.js';
import {
  activityOfTurn,
  addLostRun,
  addRun,
  beginWait,
  changedGenes,
  type Ending,
  endWait,
  type Turn,
  takeGenes,
} from './turn.js';
import type { Turns } from './turns.js';

/** Engines that may be lost under one turn: what ends every engine that runs it must not do so for ever. */
export const MOST_LOSSES = 2;

/** A line to a thread that is there is up by then. */
const AGAIN_MS = 50;

export interface RunsOf {
  readonly ctx: Context;
  readonly args: MindArgs;
  readonly post: Post;
  readonly turns: Turns;
  readonly end: (turn: Turn, ending: Ending) => void;
  /** Asks for a lane. */
  readonly request: (turn: Turn) => void;
}

type Granted = BrokerToMind & { readonly type: 'granted' };
type Read = MindControl & { readonly type: 'read' };

export class Runs {
  readonly #of: RunsOf;

  constructor(of: RunsOf) {
    this.#of = of;
  }

  begin(granted: Granted): void {
    const { ctx, end, post, turns } = this.#of;
    const turn = turns.byTicket(granted.ticket);
    // A turn that ended meanwhile has withdrawn, and the broker takes the grant back on that.
    if (turn?.stage !== 'queued' || turn.prepared === undefined) return;
    endWait(turn, ctx.now);
    const changed = changedGenes(turn, granted.phenotype);
    if (changed !== undefined) {
      post.withdraw(turn);
      return end(turn, { outcome: 'failed', error: toEnvelope(changed) });
    }
    takeGenes(turn, granted.phenotype);
    turns.run(turn, granted);
    turn.sentAt = ctx.now;
    if (!post.run(turn, turn.prepared, activityOfTurn(ctx, turn), granted)) this.#unsent(turn);
  }

  /** The engine is not there, or not yet for a thread that was just started: the lane is given back, and asked for again. */
  #unsent(turn: Turn): void {
    const { ctx, args, post, turns } = this.#of;
    post.withdraw(turn);
    turns.halt(turn);
    beginWait(turn, ctx, 'relaunching', args.engine, args.name);
    const again: MindControl = { type: 'again', turn: turn.request.turn };
    turn.timers.push(ctx.after(AGAIN_MS, { ...again }));
  }

  /** A turn whose run could not be sent asks again. */
  again(turn: Turn | undefined): void {
    if (turn?.stage !== 'halted') return;
    endWait(turn, this.#of.ctx.now);
    this.#goOn(turn);
  }

  /** The broker wants a lane back: the engine ends the run at its next step, and says so. */
  reclaim({ ticket, leftIn }: BrokerToMind & { readonly type: 'reclaim' }): void {
    const { post, turns } = this.#of;
    const turn = turns.byTicket(ticket);
    if (turn?.stage === 'running') post.yield(turn, leftIn);
    else post.released(ticket);
  }

  done(done: RunDone): void {
    const { end, post, turns } = this.#of;
    const turn = turns.byGrant(done.grant);
    if (turn === undefined) return;
    const { ticket, request } = turn;
    addRun(turn, done);
    turns.halt(turn);
    if (done.outcome !== 'reclaimed') return end(turn, { outcome: done.outcome, error: done.error });
    post.released(ticket);
    // With an error it was only sent back: nobody wanted its lane.
    if (request.onReclaim === 'end' && done.error === undefined) turn.ending ??= { outcome: 'reclaimed' };
    this.#goOn(turn);
  }

  /** The run on a lane has no last word any more. */
  lose(turn: Turn | undefined, error: ErrorEnvelope | undefined): void {
    if (turn?.stage !== 'running') return;
    const { ctx, args, post, turns } = this.#of;
    turns.lose(turn);
    if (++turn.losses > MOST_LOSSES) turn.ending ??= { outcome: 'failed', error };
    post.askReader(turn);
    beginWait(turn, ctx, 'relaunching', turn.request.reader, args.name);
  }

  read(read: Read): void {
    const { ctx, turns } = this.#of;
    const turn = turns.get(read.turn);
    if (turn?.stage !== 'lost' || turn.grant !== read.grant) return;
    endWait(turn, ctx.now);
    addLostRun(turn, read);
    turns.halt(turn);
    this.#goOn(turn);
  }

  #goOn(turn: Turn): void {
    if (turn.ending === undefined) this.#of.request(turn);
    else this.#of.end(turn, turn.ending);
  }
}
