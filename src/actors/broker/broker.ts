/**
 * The broker actor: who gets a lane, and cells for prompt and reply, and when. It owns the grants and what it knows of
 * the lanes; it learns the lanes from its own grants and from the engine's words, never by asking.
 *
 * A grant's life: requested, queued with a reason, granted, and over when the engine says that it ran (or when it
 * will never be run: withdrawn, or its mind is gone).
 */
import { EngineLost, MindLeft } from '../../errors.js';
import type { Behaviour, Context, Definition } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band, type Notice } from '../../runtime/message.js';
import type { EngineControl, EngineToBroker, LaneClaim } from '../engine/protocol.js';
import type { BrokerToMind, MindToBroker, QueueReason } from './protocol.js';
import { admit, choose, type LaneState, type QueueState, type WaitingTurn, waitReason } from './queue.js';
import { createWork } from './work.js';

/** Waiting turns age and engines come back without a message: the queue is looked at this often while any waits. */
const CHECK_MS = 1_000;
/** Longest wait for an engine to come back. */
const RELAUNCH_MS = 240_000;
/** Grant numbers of a broker that was started again begin above those of before. */
const GRANTS_A_START = 2 ** 32;

type BrokerControl = MindToBroker | EngineToBroker | { readonly type: 'check' };

interface Request extends WaitingTurn {
  readonly ticket: number;
  told: QueueReason | undefined;
}

interface Grant {
  readonly request: Request;
  readonly lane: number;
  /** What the lane held before: it still does if the grant is given back unused. */
  readonly before: LaneState;
}

type EngineUp = EngineToBroker & { type: 'up' };

class Broker implements Behaviour {
  readonly #ctx: Context;
  readonly #work = createWork();
  /** By grant number. */
  readonly #waiting = new Map<number, Request>();
  readonly #granted = new Map<number, Grant>();
  /** By mind: grant numbers by ticket. */
  readonly #minds = new Map<ActorId, Map<number, number>>();
  #lanes: LaneState[] = [];
  #engine: EngineUp | undefined;
  #last = 0;
  #checking = false;
  #downSince = 0;

  constructor(ctx: Context, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    this.#last = ctx.incarnation * GRANTS_A_START;
    if (ctx.incarnation > 0) this.#recover(saved);
  }

  receive(): void {}

  control(message: BrokerControl, ctx: Context): void {
    switch (message.type) {
      case 'request':
        this.#request(message, ctx.sender);
        break;
      case 'withdraw':
        this.#withdraw(ctx.sender, message.ticket);
        break;
      case 'forget':
        this.#forget(ctx.sender);
        break;
      case 'up':
        this.#up(message);
        break;
      case 'ran':
        this.#ran(message);
        break;
      case 'check':
        this.#checking = false;
        this.#refuseLate();
        break;
      case 'never-ran':
        this.#giveBack(message.grant);
        break;
    }
    this.#grantAll();
  }

  notice(notice: Notice): void {
    if (notice.type !== 'ended') return;
    if (notice.id === this.#engine?.engine) this.#down(notice.reason);
    else {
      this.#forget(notice.id);
      this.#minds.delete(notice.id);
      this.#work.forget(notice.id);
      this.#ctx.save(`mind/${notice.id}`, undefined);
    }
    this.#grantAll();
  }

  #request(message: MindToBroker & { type: 'request' }, mind: ActorId): void {
    const { ticket, activity, class: turnClass, cells } = message;
    const tooLarge = this.#engine && admit(cells, this.#engine.cells);
    if (tooLarge !== undefined) {
      this.#tell(mind, { type: 'refused', ticket, error: toEnvelope(tooLarge) });
      return;
    }
    let tickets = this.#minds.get(mind);
    if (tickets === undefined) {
      tickets = new Map();
      this.#minds.set(mind, tickets);
      this.#ctx.watch(mind);
      this.#ctx.save(`mind/${mind}`, mind);
    }
    const running = [...this.#granted.values()].map((grant) => grant.request);
    this.#work.arrive(mind, this.#waiting.values(), running);
    const grant = ++this.#last;
    tickets.set(ticket, grant);
    const since = this.#ctx.now;
    this.#waiting.set(grant, {
      grant,
      mind,
      ticket,
      activity,
      class: turnClass,
      cells,
      since,
      told: undefined,
    });
  }

  /** Grants what can be granted now, and tells those who go on waiting why, once a reason. */
  #grantAll(): void {
    const engine = this.#engine;
    while (
      engine !== undefined &&
      this.#waiting.size > 0 &&
      this.#lanes.some((lane) => lane.state !== 'busy')
    ) {
      const choice = choose(this.#state(engine));
      if (choice?.type !== 'grant') break;
      this.#grant(this.#waiting.get(choice.turn.grant) as Request, choice.lane, choice.clear, engine);
    }
    if (this.#waiting.size === 0) return;
    const reason: QueueReason = engine === undefined ? 'relaunching' : waitReason(this.#lanes);
    for (const request of this.#waiting.values()) {
      if (request.told === reason) continue;
      request.told = reason;
      this.#tell(request.mind, { type: 'queued', ticket: request.ticket, reason });
    }
    if (this.#checking) return;
    this.#checking = true;
    this.#ctx.after(CHECK_MS, { type: 'check' });
  }

  #state(engine: EngineUp): QueueState {
    return {
      waiting: [...this.#waiting.values()],
      lanes: this.#lanes,
      cells: engine.cells,
      work: this.#work,
      now: this.#ctx.now,
    };
  }

  #grant(request: Request, lane: number, clear: readonly number[], engine: EngineUp): void {
    const before = this.#lanes[lane] as LaneState;
    const claims = clear.map(
      (number): LaneClaim => ({ lane: number, activity: this.#lanes[number]?.activity ?? '' }),
    );
    if (claims.length > 0) this.#tellEngine(engine.engine, { type: 'clear', claims });
    for (const number of clear) this.#lanes[number] = emptyLane(number);
    this.#work.granted(request.mind, this.#ctx.now);
    this.#waiting.delete(request.grant);
    this.#granted.set(request.grant, { request, lane, before });
    this.#tell(request.mind, {
      type: 'granted',
      ticket: request.ticket,
      grant: request.grant,
      epoch: engine.epoch,
      lane,
      continues: before.state === 'idle' && before.activity === request.activity,
    });
    this.#lanes[lane] = {
      lane,
      state: 'busy',
      activity: request.activity,
      held: 0,
      reserved: request.cells,
      lastUse: this.#ctx.now,
    };
  }

  /** The engine ran a grant, or refused to: its words say what the lane holds now. */
  #ran(message: EngineToBroker & { type: 'ran' }): void {
    const grant = this.#granted.get(message.grant);
    if (grant === undefined) return;
    this.#work.charge(grant.request.mind, message.processed, message.produced);
    this.#close(message.grant, grant);
    this.#lanes[grant.lane] =
      message.activity === undefined
        ? emptyLane(grant.lane)
        : {
            lane: grant.lane,
            state: 'idle',
            activity: message.activity,
            held: message.held,
            reserved: 0,
            lastUse: this.#ctx.now,
          };
  }

  /** The turn no longer wants its lane: it waited, or its grant was never used. */
  #withdraw(mind: ActorId, ticket: number): void {
    const grant = this.#minds.get(mind)?.get(ticket);
    if (grant === undefined) return;
    const request = this.#waiting.get(grant);
    if (request === undefined) this.#giveBack(grant);
    else this.#forgetRequest(request);
  }

  /** A grant whose run never came: its lane is as it was. */
  #giveBack(number: number): void {
    const grant = this.#granted.get(number);
    if (grant === undefined) return;
    this.#close(number, grant);
    this.#lanes[grant.lane] = grant.before;
  }

  /** A mind is gone, or was started again: what it asked for is dropped, what it has is taken back. */
  #forget(mind: ActorId): void {
    const error = toEnvelope(new MindLeft({ name: `actor ${mind}` }));
    for (const grant of this.#minds.get(mind)?.values() ?? []) {
      const request = this.#waiting.get(grant);
      if (request !== undefined) this.#forgetRequest(request);
      else if (this.#engine !== undefined)
        this.#tellEngine(this.#engine.engine, { type: 'revoke', grant, error });
    }
  }

  #up(engine: EngineUp): void {
    this.#down('it was started again');
    this.#ctx.watch(engine.engine);
    this.#ctx.save('engine', engine.engine);
    this.#engine = engine;
    this.#lanes = Array.from({ length: engine.lanes }, (_, lane) => emptyLane(lane));
  }

  /** The engine is gone: every grant is void; those who wait go on waiting for the next engine. */
  #down(reason: string): void {
    if (this.#engine === undefined) return;
    this.#engine = undefined;
    this.#lanes = [];
    const error = toEnvelope(new EngineLost({ reason }));
    for (const [number, grant] of this.#granted) {
      this.#close(number, grant);
      this.#tell(grant.request.mind, { type: 'revoked', ticket: grant.request.ticket, error });
    }
    this.#downSince = this.#ctx.now;
  }

  /** A broker that was started again knows of no grants: what the minds have of it is void. */
  #recover(saved: ReadonlyMap<string, unknown>): void {
    const error = toEnvelope(new EngineLost({ reason: 'the broker was started again' }));
    for (const [key, id] of saved) {
      if (key === 'engine') this.#tellEngine(id as ActorId, { type: 'reset', error });
      else this.#tell(id as ActorId, { type: 'revoked', ticket: undefined, error });
    }
  }

  #refuseLate(): void {
    if (this.#engine !== undefined || this.#ctx.now - this.#downSince < RELAUNCH_MS) return;
    const error = toEnvelope(new EngineLost({ reason: `it did not come back within ${RELAUNCH_MS} ms` }));
    for (const request of this.#waiting.values()) {
      this.#tell(request.mind, { type: 'refused', ticket: request.ticket, error });
      this.#forgetRequest(request);
    }
  }

  #forgetRequest(request: Request): void {
    this.#waiting.delete(request.grant);
    this.#minds.get(request.mind)?.delete(request.ticket);
  }

  #close(number: number, grant: Grant): void {
    this.#granted.delete(number);
    this.#minds.get(grant.request.mind)?.delete(grant.request.ticket);
  }

  #tell(mind: ActorId, message: BrokerToMind): void {
    this.#ctx.tell(mind, message, { band: Band.reserved });
  }

  #tellEngine(engine: ActorId, message: EngineControl): void {
    this.#ctx.tell(engine, message, { band: Band.reserved });
  }
}

const emptyLane = (lane: number): LaneState => ({ lane, state: 'empty', held: 0, reserved: 0, lastUse: 0 });

const broker: Definition = {
  kind: 'broker',
  start: (ctx, _args, saved) => new Broker(ctx, saved),
};

export default broker;
