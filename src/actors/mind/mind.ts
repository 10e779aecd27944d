/**
 * The mind actor: one persona with its rooms. A turn is a state machine moved on by messages (room, queued, running,
 * ended); no handler waits for anything.
 */
import { randomInt } from 'node:crypto';
import { asTroupeError, DeadlineExceeded, EngineLost, MailboxFull } from '../../errors.js';
import { type Behaviour, type Context, type Definition, refuse } from '../../runtime/actor.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import type { BrokerToMind } from '../broker/protocol.js';
import type { RunDone } from '../engine/protocol.js';
import { resolveSampling } from '../engine/sampling.js';
import { Post } from './post.js';
import { checkSystem, prepare } from './prepare.js';
import type { MindArgs, MindControl, TurnRequest } from './protocol.js';
import type { Message } from './rendering.js';
import { type Reply, type Room, Rooms, remember } from './rooms.js';
import { storeKey } from './transcript.js';
import {
  activityOf,
  addRun,
  answerOf,
  beginWait,
  type Ending,
  endWait,
  leftMs,
  openTurn,
  type Prepared,
  type Turn,
} from './turn.js';
import { MAX_TURNS, Turns } from './turns.js';

/** A cancelled run's last word from the engine is waited for this long; a step takes far less. */
const LAST_WORD_MS = 5_000;
const SEEDS = 2 ** 32;

class Mind implements Behaviour {
  readonly #ctx: Context;
  readonly #args: MindArgs;
  readonly #post: Post;
  readonly #rooms: Rooms;
  readonly #turns: Turns;
  #system: Message | undefined;

  constructor(ctx: Context, args: MindArgs, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    this.#args = args;
    this.#post = new Post(ctx, args);
    this.#system = args.system === '' ? undefined : { role: 'system', content: args.system };
    this.#rooms = new Rooms(saved);
    this.#turns = new Turns(ctx.incarnation);
    if (ctx.incarnation > 0) this.#post.forget();
  }

  receive(message: TurnRequest): unknown {
    if (this.#turns.size < MAX_TURNS) return this.#call(message);
    return refuse(new MailboxFull({ actor: this.#args.name, band: 'user', bound: MAX_TURNS }));
  }

  control(message: MindControl | BrokerToMind | RunDone): unknown {
    switch (message.type) {
      case 'done':
        return this.#done(message);
      case 'heard':
        return this.#heard(message);
      case 'transcript':
        return { exchanges: this.#rooms.said(message.room), genes: this.#args.genes };
      case 'recall':
        return this.#rooms.recall(message, this.#ctx);
      case 'confirm':
        return this.#confirm(message);
      case 'granted':
        return this.#granted(message);
      case 'queued':
        return this.#queued(message);
      case 'refused':
      case 'revoked':
        return this.#failed(this.#turns.byTicket(message.ticket), message.error);
      case 'restarted':
        return this.#askAgain(message.error);
      case 'leave':
        return this.#leave();
      case 'cancel':
        return this.#cancel(message.turn, undefined);
      case 'overdue':
        return this.#overdue(message.turn);
      case 'silent':
        return this.#silent(message.turn);
    }
  }

  #call(request: TurnRequest): void {
    const sampling = resolveSampling([this.#args.sampling, request.sampling], randomInt(SEEDS));
    const turn = openTurn(request, this.#ctx.replyLater(), sampling);
    turn.timers.push(
      this.#ctx.after(leftMs(request, this.#ctx.now), { type: 'overdue', turn: request.turn }),
    );
    if (!this.#turns.add(turn)) return this.#cancel(request.turn, undefined);
    const room = this.#rooms.of(request.room);
    room.waiting.push(turn);
    if (room.active === undefined) this.#next(room);
    else beginWait(turn, this.#ctx, 'room', this.#ctx.self, this.#args.name);
  }

  /** The room is free: its next turn asks for a lane. */
  #next(room: Room): void {
    const turn = room.waiting.shift();
    if (turn === undefined) return;
    room.active = turn;
    endWait(turn, this.#ctx.now);
    try {
      const { prepared, system, dropped } = prepare(this.#args, this.#system, room.transcript, turn.request);
      this.#system = system;
      for (const index of dropped) this.#ctx.save(storeKey(room.transcript.room, index), undefined);
      turn.prepared = prepared;
    } catch (error) {
      this.#end(turn, { outcome: 'failed', error: toEnvelope(asTroupeError(error)) });
      return;
    }
    this.#request(turn, turn.prepared);
  }

  #request(turn: Turn, prepared: Prepared): void {
    this.#turns.queue(turn);
    this.#post.request(turn, prepared, activityOf(this.#ctx, turn));
  }

  // What broker and engine say

  #queued({ ticket, reason, on }: BrokerToMind & { type: 'queued' }): void {
    const turn = this.#turns.byTicket(ticket);
    const { broker, name } = this.#args;
    if (turn?.stage === 'queued') beginWait(turn, this.#ctx, reason, on ?? broker, name);
  }

  #granted(message: BrokerToMind & { type: 'granted' }): void {
    const turn = this.#turns.byTicket(message.ticket);
    // A turn that ended meanwhile has withdrawn, and the broker takes the grant back on that.
    if (turn?.stage !== 'queued' || turn.prepared === undefined) return;
    endWait(turn, this.#ctx.now);
    Object.assign(turn, { phenotype: message.phenotype.genes, missed: message.phenotype.missed });
    this.#turns.run(turn, message);
    turn.sentAt = this.#ctx.now;
    if (this.#post.run(turn, turn.prepared, activityOf(this.#ctx, turn), message)) return;
    this.#post.withdraw(turn);
    this.#failed(turn, toEnvelope(new EngineLost({ reason: 'its thread is not there' })));
  }

  #confirm({ question, tickets }: BrokerToMind & { type: 'confirm' }): void {
    const over = tickets.filter((ticket) => this.#turns.byTicket(ticket) === undefined);
    this.#post.confirm(question, over);
  }

  /** Refused, or what was granted is void. A turn that was ending already ends as it was to. */
  #failed(turn: Turn | undefined, error: ErrorEnvelope): void {
    if (turn !== undefined) this.#end(turn, turn.ending ?? { outcome: 'failed', error });
  }

  /** The broker was started again. It may yet come upon a request of before, so that one is withdrawn. */
  #askAgain(error: ErrorEnvelope): void {
    for (const turn of this.#turns.all()) {
      if (turn.stage === 'running') this.#failed(turn, error);
      else if (turn.stage === 'queued' && turn.prepared !== undefined) {
        this.#post.withdraw(turn);
        this.#request(turn, turn.prepared);
      }
    }
  }

  #done(done: RunDone): void {
    const turn = this.#turns.byGrant(done.grant);
    if (turn === undefined) return;
    addRun(turn, done);
    this.#end(turn, done);
  }

  #cancel(number: number, error: ErrorEnvelope | undefined): void {
    const turn = this.#turns.get(number);
    if (turn === undefined) {
      this.#turns.cancelEarly(number);
      return;
    }
    const ending: Ending = { outcome: error === undefined ? 'aborted' : 'failed', error };
    if (turn.stage === 'running') {
      if (turn.ending !== undefined) return;
      turn.ending = ending;
      this.#post.cancel(turn, error);
      turn.timers.push(this.#ctx.after(LAST_WORD_MS, { type: 'silent', turn: number }));
      return;
    }
    if (turn.stage === 'queued') this.#post.withdraw(turn);
    this.#end(turn, ending);
  }

  #overdue(number: number): void {
    const { name } = this.#args;
    const deadlineMs = this.#turns.get(number)?.request.deadlineMs;
    if (deadlineMs === undefined) return;
    const error = new DeadlineExceeded({ what: `turn ${number} of ${name}`, deadlineMs });
    this.#cancel(number, toEnvelope(error));
  }

  #silent(number: number): void {
    const turn = this.#turns.get(number);
    if (turn?.ending !== undefined) this.#end(turn, turn.ending);
  }

  #leave(): void {
    for (const turn of this.#turns.all().reverse()) {
      if (turn.stage === 'running') this.#post.cancel(turn, undefined);
      else if (turn.stage === 'queued') this.#post.withdraw(turn);
      this.#end(turn, { outcome: 'aborted' });
    }
    this.#ctx.stop();
  }

  #end(turn: Turn, ending: Ending): void {
    const now = this.#ctx.now;
    endWait(turn, now);
    for (const takeBack of turn.timers) takeBack();
    this.#turns.remove(turn);
    const whole = ending.outcome === 'stop' || ending.outcome === 'length';
    const { text: content = '', reply: tokens } = ending;
    // An empty reply is part of the conversation; nothing said before a break is not.
    if (turn.prepared !== undefined && (whole || content !== '')) {
      this.#remember(turn.request.room, turn.prepared.user, { content, tokens, brokenOff: !whole });
    }
    const room = this.#rooms.leave(turn);
    turn.answer.resolve(answerOf(turn, this.#args, ending, now));
    if (room.active === undefined) this.#next(room);
  }

  #heard({ room, text, reply }: MindControl & { type: 'heard' }): void {
    this.#remember(room, { role: 'user', content: text }, { content: reply, brokenOff: true });
  }

  #remember(room: string, user: Message, reply: Reply): void {
    const { transcript } = this.#rooms.of(room);
    const exchange = remember(transcript, user, reply);
    this.#ctx.save(storeKey(room, exchange.index), exchange);
  }
}

const mind: Definition<MindArgs> = {
  kind: 'mind',
  start(ctx, args, saved) {
    checkSystem(args);
    return new Mind(ctx, args, saved);
  },
};

export default mind;
