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
import type { ForgetRoom, MindArgs, MindControl, MindTranscript, TurnRequest } from './protocol.js';
import type { Message } from './rendering.js';
import { forget, type Room, Rooms, remember } from './rooms.js';
import { Runs } from './runs.js';
import { storeKey } from './transcript.js';
import {
  activityOfTurn,
  answerOf,
  beginWait,
  droppedBy,
  type Ending,
  endWait,
  leftMs,
  openTurn,
  saidOf,
  type Turn,
  waitedMs,
} from './turn.js';
import { MAX_TURNS, Turns } from './turns.js';

/** A cancelled run's last word from the engine is waited for this long; a step takes far less. */
const LAST_WORD_MS = 5_000;
/** Longest that a turn waits for an engine, over any number of them. */
const RELAUNCH_MS = 240_000;
const SEEDS = 2 ** 32;

class Mind implements Behaviour {
  readonly #ctx: Context;
  readonly #args: MindArgs;
  readonly #post: Post;
  readonly #rooms: Rooms;
  readonly #turns: Turns;
  readonly #runs: Runs;
  #system: Message | undefined;

  constructor(ctx: Context, args: MindArgs, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    this.#args = args;
    this.#post = new Post(ctx, args);
    this.#system = args.system === '' ? undefined : { role: 'system', content: args.system };
    this.#rooms = new Rooms(saved);
    this.#turns = new Turns(ctx.incarnation);
    this.#runs = new Runs({
      ...{ ctx, args, post: this.#post, turns: this.#turns },
      end: (turn, ending) => this.#end(turn, ending),
      request: (turn) => this.#request(turn),
    });
    if (ctx.incarnation > 0) this.#post.forget();
  }

  receive(message: TurnRequest | ForgetRoom): unknown {
    if (message.type === 'forget-room') return this.#rooms.forget(message.room, this.#ctx);
    if (this.#turns.size < MAX_TURNS) return this.#call(message);
    return refuse(new MailboxFull({ actor: this.#args.name, band: 'user', bound: MAX_TURNS }));
  }

  control(message: MindControl | BrokerToMind | RunDone): unknown {
    switch (message.type) {
      case 'done':
        return this.#runs.done(message);
      case 'read':
        return this.#runs.read(message);
      case 'transcript':
        return this.#transcript(message.room);
      case 'recall':
        return this.#rooms.recall(message, this.#ctx);
      case 'confirm':
        return this.#confirm(message);
      case 'granted':
        return this.#runs.begin(message);
      case 'reclaim':
        return this.#runs.reclaim(message);
      case 'queued':
        return this.#queued(message);
      case 'refused':
        return this.#refused(message.ticket, message.error);
      case 'revoked':
        return this.#runs.lose(this.#turns.byTicket(message.ticket), message.error);
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
      case 'away':
        return this.#away(message.turn);
      case 'again':
        return this.#runs.again(this.#turns.get(message.turn));
    }
  }

  #transcript(room: string): MindTranscript {
    const { name, genes } = this.#args;
    return { name, exchanges: this.#rooms.said(room), genes };
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
      const { prepared, system } = prepare(this.#args, this.#system, room.transcript, turn.request);
      this.#system = system;
      turn.prepared = prepared;
    } catch (error) {
      this.#end(turn, { outcome: 'failed', error: toEnvelope(asTroupeError(error)) });
      return;
    }
    this.#request(turn);
  }

  #request(turn: Turn): void {
    if (turn.prepared === undefined) return;
    turn.askedAt ??= this.#ctx.now;
    this.#turns.queue(turn);
    this.#post.request(turn, turn.prepared, activityOfTurn(this.#ctx, turn));
  }

  // What broker and engine say

  #queued({ ticket, reason, on }: BrokerToMind & { type: 'queued' }): void {
    const turn = this.#turns.byTicket(ticket);
    const { broker, name } = this.#args;
    if (turn?.stage !== 'queued') return;
    beginWait(turn, this.#ctx, reason, on ?? broker, name);
    if (reason !== 'relaunching') return;
    const leftMs = RELAUNCH_MS - waitedMs(turn, reason, this.#ctx.now);
    turn.timers.push(this.#ctx.after(leftMs, { type: 'away', turn: turn.request.turn }));
  }

  #confirm({ question, tickets }: BrokerToMind & { type: 'confirm' }): void {
    const over = tickets.filter((ticket) => this.#turns.byTicket(ticket) === undefined);
    this.#post.confirm(question, over);
  }

  #refused(ticket: number, error: ErrorEnvelope): void {
    const turn = this.#turns.byTicket(ticket);
    if (turn !== undefined) this.#end(turn, { outcome: 'failed', error });
  }

  /** The broker was started again. It may yet come upon a request of before, so that one is withdrawn. */
  #askAgain(error: ErrorEnvelope): void {
    for (const turn of this.#turns.all()) {
      if (turn.stage === 'running') this.#runs.lose(turn, error);
      else if (turn.stage === 'queued') {
        this.#post.withdraw(turn);
        this.#request(turn);
      }
    }
  }

  #cancel(number: number, error: ErrorEnvelope | undefined): void {
    const turn = this.#turns.get(number);
    if (turn === undefined) {
      this.#turns.cancelEarly(number);
      return;
    }
    const ending: Ending = { outcome: error === undefined ? 'aborted' : 'failed', error };
    if (turn.stage === 'lost') turn.ending ??= ending;
    if (turn.stage === 'lost' || turn.ending !== undefined) return;
    if (turn.stage === 'running') {
      turn.ending = ending;
      this.#post.cancel(turn, error);
      turn.timers.push(this.#ctx.after(LAST_WORD_MS, { type: 'silent', turn: number }));
      return;
    }
    if (turn.stage === 'queued') this.#post.withdraw(turn);
    this.#end(turn, ending);
  }

  #overdue(number: number): void {
    const deadlineMs = this.#turns.get(number)?.request.deadlineMs;
    if (deadlineMs === undefined) return;
    const error = new DeadlineExceeded({ what: `turn ${number} of ${this.#args.name}`, deadlineMs });
    this.#cancel(number, toEnvelope(error));
  }

  #silent(number: number): void {
    const turn = this.#turns.get(number);
    if (turn?.ending !== undefined) this.#runs.lose(turn, turn.ending.error);
  }

  #away(number: number): void {
    const turn = this.#turns.get(number);
    if (turn === undefined || waitedMs(turn, 'relaunching', this.#ctx.now) < RELAUNCH_MS) return;
    const error = new EngineLost({ reason: `it did not come back within ${RELAUNCH_MS} ms` });
    this.#cancel(number, toEnvelope(error));
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
    const { text: content = '', reply: tokens } = saidOf(turn) ?? {};
    const answer = answerOf(turn, this.#args, ending, now);
    this.#turns.remove(turn);
    const { transcript } = this.#rooms.of(turn.request.room);
    forget(transcript, droppedBy(turn), this.#ctx);
    const whole = ending.outcome === 'stop' || ending.outcome === 'length';
    // An empty reply is part of the conversation; nothing said before a break is not.
    if (turn.prepared !== undefined && (whole || content !== '')) {
      const exchange = remember(transcript, turn.prepared.user, { content, tokens, brokenOff: !whole });
      this.#ctx.save(storeKey(transcript.room, exchange.index), exchange);
    }
    const room = this.#rooms.leave(turn);
    turn.answer.resolve(answer);
    if (room.active === undefined) this.#next(room);
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
