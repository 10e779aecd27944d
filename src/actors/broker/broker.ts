/**
 * The broker actor: who gets a lane, and cells for prompt and reply, and when. It owns the grants (`ledger.ts`) and what
 * is known of the lanes (`lane-table.ts`); who is next is a function (`queue.ts`).
 *
 * A grant's life: requested, queued with a reason, granted, and over when the engine says that it ran (or when it
 * will never be run: withdrawn, or its mind is gone).
 */
import { EngineLost, MindLeft } from '../../errors.js';
import type { Behaviour, Context, Definition } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band, type Notice } from '../../runtime/message.js';
import type { EngineControl, EngineToBroker } from '../engine/protocol.js';
import { LaneTable } from './lane-table.js';
import { Ledger, type Request } from './ledger.js';
import type { BrokerToMind, MindToBroker, QueueReason } from './protocol.js';
import { admit, choose, type Placement, waitReason } from './queue.js';

/** Waiting turns age and engines come back without a message: the queue is looked at this often while any waits. */
const CHECK_MS = 1_000;
/** Longest wait for an engine to come back. */
const RELAUNCH_MS = 240_000;
/** Grant numbers of a broker that was started again begin above those of before. */
const GRANTS_A_START = 2 ** 32;

type BrokerControl = MindToBroker | EngineToBroker | { readonly type: 'check' };
type EngineUp = EngineToBroker & { type: 'up' };

class Broker implements Behaviour {
  readonly #ctx: Context;
  readonly #ledger: Ledger;
  readonly #lanes = new LaneTable();
  #engine: EngineUp | undefined;
  /** Why turns wait, as all those who do were told. */
  #reason: QueueReason | undefined;
  #checking = false;
  /** Times that the engine was told to clear lanes, since it last came up. */
  #clears = 0;
  #downSince: number;

  constructor(ctx: Context, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    this.#ledger = new Ledger(ctx.incarnation * GRANTS_A_START);
    this.#downSince = ctx.now;
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
        this.#takeBack(ctx.sender);
        break;
      case 'up':
        this.#up(message);
        break;
      case 'ran':
        this.#ran(message);
        break;
      case 'shrank':
        this.#lanes.shrink(message.lane, message.activity, message.held);
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
    this.#sayWhy();
  }

  notice(notice: Notice): void {
    if (notice.type !== 'ended') return;
    if (notice.id === this.#engine?.engine) this.#down(notice.reason);
    else {
      this.#takeBack(notice.id);
      this.#ledger.forget(notice.id);
      this.#ctx.save(`mind/${notice.id}`, undefined);
    }
    this.#grantAll();
    this.#sayWhy();
  }

  // Granting

  #request(message: MindToBroker & { type: 'request' }, mind: ActorId): void {
    const tooLarge = this.#engine && admit(message.cells, this.#engine.cells);
    if (tooLarge !== undefined) {
      this.#tell(mind, { type: 'refused', ticket: message.ticket, error: toEnvelope(tooLarge) });
      return;
    }
    if (!this.#ledger.knows(mind)) {
      this.#ctx.watch(mind);
      this.#ctx.save(`mind/${mind}`, mind);
    }
    this.#ledger.add(message, mind, this.#ctx.now);
  }

  #grantAll(): void {
    const engine = this.#engine;
    while (engine !== undefined && this.#ledger.waiting.size > 0) {
      const placement = choose({
        waiting: this.#ledger.waiting.values(),
        lanes: this.#lanes.all,
        cells: engine.cells,
        now: this.#ctx.now,
      });
      if (placement === undefined) return;
      this.#grant(placement, engine);
    }
  }

  #grant({ turn: request, lane, cells, clear }: Placement<Request>, engine: EngineUp): void {
    if (clear.length > 0) {
      this.#clears++;
      this.#tellEngine({ type: 'clear', epoch: engine.epoch, claims: this.#lanes.clear(clear) });
    }
    const { now } = this.#ctx;
    const continues = this.#lanes.take(lane, request.activity, cells, now);
    this.#ledger.grant(request, lane, now);
    const { ticket, grant } = request;
    const { epoch } = engine;
    const clears = this.#clears;
    this.#tell(request.mind, { type: 'granted', ticket, grant, epoch, lane, continues, clears });
  }

  /** Tells those who go on waiting why, once a reason. */
  #sayWhy(): void {
    const { waiting } = this.#ledger;
    const fresh = this.#ledger.takeFresh();
    if (waiting.size === 0) return;
    const reason = this.#engine === undefined ? 'relaunching' : waitReason(this.#lanes.all);
    for (const { mind, ticket } of reason === this.#reason ? fresh : waiting.values()) {
      this.#tell(mind, { type: 'queued', ticket, reason });
    }
    this.#reason = reason;
    if (this.#checking) return;
    this.#checking = true;
    this.#ctx.after(CHECK_MS, { type: 'check' });
  }

  // The end of a grant

  /** The engine ran a grant, or refused to: its words say what the lane holds now. */
  #ran({ grant: number, activity, held, processed, produced }: EngineToBroker & { type: 'ran' }): void {
    const grant = this.#ledger.close(number);
    if (grant === undefined) return;
    this.#ledger.charge(grant, processed, produced);
    this.#lanes.settle(grant.lane, activity, held, this.#ctx.now);
  }

  /** The turn no longer wants its lane: it waited, or its grant was never used. */
  #withdraw(mind: ActorId, ticket: number): void {
    const number = this.#ledger.number(mind, ticket);
    if (number !== undefined && !this.#ledger.drop(number)) this.#giveBack(number);
  }

  /** A grant whose run never came: its lane is as it was. */
  #giveBack(number: number): void {
    const grant = this.#ledger.close(number);
    if (grant !== undefined) this.#lanes.giveBack(grant.lane);
  }

  /** A mind is gone, or was started again: what it asked for is dropped, what it has is taken back. */
  #takeBack(mind: ActorId): void {
    const error = toEnvelope(new MindLeft({ name: `actor ${mind}` }));
    for (const grant of this.#ledger.numbersOf(mind)) {
      if (!this.#ledger.drop(grant)) this.#tellEngine({ type: 'revoke', grant, error });
    }
  }

  // The engine's comings and goings

  #up(engine: EngineUp): void {
    // Said again, for its answer was late.
    if (engine.engine === this.#engine?.engine && engine.epoch === this.#engine.epoch) return;
    this.#down('it was started again');
    this.#ctx.watch(engine.engine);
    this.#ctx.save('engine', engine.engine);
    this.#engine = engine;
    this.#clears = 0;
    this.#lanes.open(engine.lanes);
  }

  /** The engine is gone: every grant is void; those who wait go on waiting for the next engine. */
  #down(reason: string): void {
    if (this.#engine === undefined) return;
    this.#engine = undefined;
    const error = toEnvelope(new EngineLost({ reason }));
    for (const number of [...this.#ledger.granted.keys()]) {
      const grant = this.#ledger.close(number);
      if (grant === undefined) continue;
      this.#tell(grant.request.mind, { type: 'revoked', ticket: grant.request.ticket, error });
    }
    this.#downSince = this.#ctx.now;
  }

  /** A broker that was started again knows of no grants: engine and minds are told so. */
  #recover(saved: ReadonlyMap<string, unknown>): void {
    const error = toEnvelope(new EngineLost({ reason: 'the broker was started again' }));
    for (const [key, id] of saved) {
      if (key === 'engine') this.#ctx.tell(id as ActorId, { type: 'reset', error }, { band: Band.reserved });
      else this.#tell(id as ActorId, { type: 'restarted', error });
    }
  }

  #refuseLate(): void {
    if (this.#engine !== undefined || this.#ctx.now - this.#downSince < RELAUNCH_MS) return;
    const error = toEnvelope(new EngineLost({ reason: `it did not come back within ${RELAUNCH_MS} ms` }));
    for (const { grant, mind, ticket } of [...this.#ledger.waiting.values()]) {
      this.#ledger.drop(grant);
      this.#tell(mind, { type: 'refused', ticket, error });
    }
  }

  #tell(mind: ActorId, message: BrokerToMind): void {
    this.#ctx.tell(mind, message, { band: Band.reserved });
  }

  #tellEngine(message: EngineControl): void {
    if (this.#engine !== undefined) this.#ctx.tell(this.#engine.engine, message, { band: Band.reserved });
  }
}

const broker: Definition = {
  kind: 'broker',
  start: (ctx, _args, saved) => new Broker(ctx, saved),
};

export default broker;
