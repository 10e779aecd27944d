/**
 * The mind actor: one persona with its rooms. A turn is a state machine moved on by messages (room, queued, running,
 * ended); no handler waits for anything.
 */
import { randomInt } from 'node:crypto';
import { asTroupeError, DeadlineExceeded, EngineLost, MailboxFull } from '../../errors.js';
import { type Behaviour, type Context, type Definition, refuse } from '../../runtime/actor.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { BrokerToMind, MindToBroker, QueueReason } from '../broker/protocol.js';
import type { EngineControl, EngineToMind } from '../engine/protocol.js';
import { resolveSampling } from '../engine/sampling.js';
import { ACK_EVERY } from '../engine/window.js';
import { checkSystem, prepare } from './prepare.js';
import type { MindArgs, MindControl, Outcome, TurnPiece, TurnRequest } from './protocol.js';
import type { Message } from './rendering.js';
import { emptyTranscript, restoreTranscripts, storeKey, type Transcript } from './transcript.js';
import { answerOf, endWait, openTurn, type Turn } from './turn.js';

/** A cancelled run's last word from the engine is waited for this long; a step takes far less. */
const LAST_WORD_MS = 5_000;
const SEEDS = 2 ** 32;
/** Turns that one mind holds at a time, waiting ones included. */
const MAX_TURNS = 1024;

interface Room {
  readonly transcript: Transcript;
  readonly waiting: Turn[];
  active: Turn | undefined;
}

class Mind implements Behaviour {
  readonly #ctx: Context;
  readonly #args: MindArgs;
  readonly #rooms = new Map<string, Room>();
  readonly #turns = new Map<number, Turn>();
  readonly #byTicket = new Map<number, Turn>();
  readonly #byGrant = new Map<number, Turn>();
  #system: Message | undefined;
  /** Turns cancelled before their request came: control messages overtake it. */
  readonly #early = new Set<number>();
  #tickets = 0;

  constructor(ctx: Context, args: MindArgs, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    this.#args = args;
    this.#system = args.system === '' ? undefined : { role: 'system', content: args.system };
    for (const [name, transcript] of restoreTranscripts(saved)) {
      this.#rooms.set(name, { transcript, waiting: [], active: undefined });
    }
    if (ctx.incarnation > 0) this.#tellBroker({ type: 'forget' });
  }

  receive(message: TurnRequest): unknown {
    if (this.#turns.size < MAX_TURNS) return this.#call(message);
    return refuse(new MailboxFull({ actor: this.#args.name, band: 'user', bound: MAX_TURNS }));
  }

  control(message: MindControl | BrokerToMind | EngineToMind): void {
    switch (message.type) {
      case 'piece':
        return this.#piece(message);
      case 'done':
        return this.#done(message);
      case 'taken':
        return this.#taken(message.turn, message.pieces);
      case 'granted':
        return this.#granted(message);
      case 'queued':
        return this.#queued(message.ticket, message.reason);
      case 'refused':
        return this.#refused(message.ticket, message.error);
      case 'revoked':
        return this.#revoked(message.ticket, message.error);
      case 'leave':
        return this.#leave();
      case 'cancel':
        return this.#cancel(message.turn, undefined);
      case 'overdue':
        return this.#overdue(message.turn);
    }
  }

  // From the call to the request

  #call(request: TurnRequest): void {
    const sampling = resolveSampling([this.#args.sampling, request.sampling], randomInt(SEEDS));
    const turn = openTurn(request, this.#ctx.replyLater(), sampling, this.#ctx.now);
    this.#turns.set(request.turn, turn);
    turn.timers.push(this.#ctx.after(request.deadlineMs, { type: 'overdue', turn: request.turn }));
    if (this.#early.delete(request.turn)) return this.#cancel(request.turn, undefined);
    const room = this.#room(request.room);
    room.waiting.push(turn);
    if (room.active === undefined) this.#next(room);
    else this.#wait(turn, 'room', this.#ctx.self);
  }

  #room(name: string): Room {
    let room = this.#rooms.get(name);
    if (room === undefined) {
      room = { transcript: emptyTranscript(name), waiting: [], active: undefined };
      this.#rooms.set(name, room);
    }
    return room;
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
      this.#end(turn, 'failed', '', undefined, toEnvelope(asTroupeError(error)));
      return;
    }
    turn.stage = 'queued';
    turn.ticket = ++this.#tickets;
    this.#byTicket.set(turn.ticket, turn);
    const { tokens, maxTokens } = turn.prepared;
    this.#tellBroker({
      type: 'request',
      ticket: turn.ticket,
      activity: this.#activity(turn),
      class: this.#args.class,
      cells: tokens.length + maxTokens,
    });
  }

  #activity(turn: Turn): string {
    return `${this.#ctx.self}/${turn.request.room}`;
  }

  // The broker's answers

  #queued(ticket: number, reason: QueueReason): void {
    const turn = this.#byTicket.get(ticket);
    if (turn?.stage === 'queued') this.#wait(turn, reason, this.#args.broker);
  }

  #granted(message: BrokerToMind & { type: 'granted' }): void {
    const turn = this.#byTicket.get(message.ticket);
    // A turn that ended meanwhile has withdrawn, and the broker takes the grant back on that.
    if (turn?.stage !== 'queued' || turn.prepared === undefined) return;
    endWait(turn, this.#ctx.now);
    turn.stage = 'running';
    turn.grant = message.grant;
    turn.lane = message.lane;
    this.#byGrant.set(turn.grant, turn);
    const sent = this.#ctx.tell(this.#args.engine, {
      type: 'run',
      grant: turn.grant,
      epoch: message.epoch,
      activity: this.#activity(turn),
      lane: message.lane,
      continues: message.continues,
      tokens: turn.prepared.tokens,
      sampling: turn.sampling,
      stops: turn.request.stops,
      maxTokens: turn.prepared.maxTokens,
    });
    if (sent) return;
    this.#withdraw(turn);
    this.#end(
      turn,
      'failed',
      '',
      undefined,
      toEnvelope(new EngineLost({ reason: 'its thread is not there' })),
    );
  }

  #refused(ticket: number, error: ErrorEnvelope): void {
    const turn = this.#byTicket.get(ticket);
    if (turn !== undefined) this.#end(turn, 'failed', '', undefined, error);
  }

  #revoked(ticket: number | undefined, error: ErrorEnvelope): void {
    const turns = ticket === undefined ? [...this.#byTicket.values()] : [this.#byTicket.get(ticket)];
    for (const turn of turns) if (turn !== undefined) this.#end(turn, 'failed', '', undefined, error);
  }

  // The engine's words

  #piece(piece: EngineToMind & { type: 'piece' }): void {
    const turn = this.#byGrant.get(piece.grant);
    if (turn === undefined) return;
    turn.firstPieceAt ??= this.#ctx.now;
    turn.text += piece.text;
    if (++turn.unacknowledged >= ACK_EVERY) {
      this.#tellEngine({ type: 'ack', grant: turn.grant, pieces: turn.unacknowledged });
      turn.unacknowledged = 0;
    }
    this.#show(turn, turn.window.push(piece.text, piece.tokens));
  }

  #taken(number: number, pieces: number): void {
    const turn = this.#turns.get(number);
    if (turn !== undefined) this.#show(turn, turn.window.ack(pieces));
  }

  #show(turn: Turn, piece: { text: string; tokens: number } | undefined): void {
    if (piece === undefined) return;
    const message: TurnPiece = { type: 'piece', turn: turn.request.turn, ...piece };
    this.#ctx.tell(turn.request.reader, { ...message }, { band: Band.reserved });
  }

  #done(done: EngineToMind & { type: 'done' }): void {
    const turn = this.#byGrant.get(done.grant);
    if (turn === undefined) return;
    turn.runs.push({
      lane: turn.lane,
      processed: done.processed,
      reused: done.reused,
      produced: done.produced,
      ...done.times,
      outcome: done.outcome,
    });
    turn.text += done.text;
    if (done.text !== '') turn.firstPieceAt ??= this.#ctx.now;
    this.#end(turn, done.outcome, done.text, done.reply, done.error);
  }

  // The end of a turn

  #cancel(number: number, error: ErrorEnvelope | undefined): void {
    const turn = this.#turns.get(number);
    if (turn === undefined) {
      this.#early.add(number);
      if (this.#early.size > MAX_TURNS) this.#early.clear();
      return;
    }
    if (turn.stage === 'running') {
      this.#tellEngine({ type: 'cancel', grant: turn.grant, error });
      turn.timers.push(this.#ctx.after(LAST_WORD_MS, { type: 'overdue', turn: number }));
      return;
    }
    if (turn.stage === 'queued') this.#withdraw(turn);
    this.#end(turn, error === undefined ? 'aborted' : 'failed', '', undefined, error);
  }

  /** Past its deadline, or past the time for the engine's last word. */
  #overdue(number: number): void {
    const turn = this.#turns.get(number);
    if (turn === undefined) return;
    const { deadlineMs } = turn.request;
    const error = toEnvelope(
      new DeadlineExceeded({ what: `turn ${number} of ${this.#args.name}`, deadlineMs }),
    );
    if (this.#ctx.now - turn.calledAt > deadlineMs + LAST_WORD_MS - 1) {
      this.#end(turn, 'failed', '', undefined, error);
    } else this.#cancel(number, error);
  }

  #leave(): void {
    for (const turn of [...this.#turns.values()].reverse()) {
      if (turn.stage === 'running') this.#tellEngine({ type: 'cancel', grant: turn.grant, error: undefined });
      else if (turn.stage === 'queued') this.#withdraw(turn);
      this.#end(turn, 'aborted', '', undefined, undefined);
    }
    this.#ctx.stop();
  }

  #end(
    turn: Turn,
    outcome: Outcome,
    rest: string,
    reply: Int32Array | undefined,
    error: ErrorEnvelope | undefined,
  ): void {
    const now = this.#ctx.now;
    endWait(turn, now);
    for (const takeBack of turn.timers) takeBack();
    turn.stage = 'ended';
    this.#turns.delete(turn.request.turn);
    this.#byTicket.delete(turn.ticket);
    this.#byGrant.delete(turn.grant);
    const room = this.#room(turn.request.room);
    if (turn.text !== '') this.#remember(room.transcript, turn, outcome, reply);
    turn.answer.resolve(answerOf(turn, this.#args, outcome, turn.window.rest() + rest, error, now));
    if (room.active === turn) {
      room.active = undefined;
      this.#next(room);
    } else {
      const at = room.waiting.indexOf(turn);
      if (at >= 0) room.waiting.splice(at, 1);
    }
  }

  /** Writes the exchange to the transcript and hands it over. */
  #remember(transcript: Transcript, turn: Turn, outcome: Outcome, tokens: Int32Array | undefined): void {
    const index = transcript.next++;
    const content = turn.text;
    const exchange = {
      index,
      user: turn.prepared?.user ?? { role: 'user', content: turn.request.text },
      reply: {
        role: 'assistant',
        content,
        ...(tokens === undefined ? {} : { tokens, tokensOf: content }),
        brokenOff: outcome !== 'stop' && outcome !== 'length',
      },
    };
    transcript.exchanges.push(exchange);
    this.#ctx.save(storeKey(transcript.room, index), exchange);
  }

  #wait(turn: Turn, reason: QueueReason | 'room', on: number): void {
    if (turn.wait?.reason === reason) return;
    const since = this.#ctx.now;
    endWait(turn, since);
    const deadlineMs = Math.max(0, turn.calledAt + turn.request.deadlineMs - since);
    turn.wait = { reason, since, end: this.#ctx.wait({ for: on, reason, deadlineMs }) };
    this.#ctx.probe({ name: 'turn.waiting', mind: this.#args.name, room: turn.request.room, reason, since });
  }

  #withdraw(turn: Turn): void {
    this.#tellBroker({ type: 'withdraw', ticket: turn.ticket });
  }

  #tellBroker(message: MindToBroker): void {
    this.#ctx.tell(this.#args.broker, message, { band: Band.reserved });
  }

  #tellEngine(message: EngineControl): void {
    this.#ctx.tell(this.#args.engine, message, { band: Band.reserved });
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
