/**
 * The broker actor: who gets a lane, and cells for prompt and reply, and when. It owns the grants (`ledger.ts`) and what
 * is known of lanes and pages (`occupancy.ts`); who is next is a function (`queue.ts`).
 *
 * A grant's life: requested, queued with a reason, granted, and over when the engine says that it ran (or when it
 * will never be run: withdrawn, or its mind is gone).
 */
import { EngineLost, MindLeft, type TroupeError } from '../../errors.js';
import type { Behaviour, Context, Definition } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band, type Notice } from '../../runtime/message.js';
import type { EngineControl, EngineToBroker } from '../engine/protocol.js';
import { Ledger, type Request } from './ledger.js';
import { Memory, type MemoryMessage } from './memory.js';
import { Occupancy } from './occupancy.js';
import { BrokerPost } from './post.js';
import type { BrokerArgs, BrokerMessage, MindToBroker, QueueReason } from './protocol.js';
import { admit, choose, type Placement, waitReason } from './queue.js';
import { tellOfStart } from './recover.js';
import { Relaunch } from './relaunch.js';

/** Waiting turns age and engines come back without a message: the queue is looked at this often while any waits. */
const CHECK_MS = 1_000;
/** Longest wait for an engine to come back. */
const RELAUNCH_MS = 240_000;
/** Grant numbers of a broker that was started again begin above those of before. */
const GRANTS_A_START = 2 ** 32;

type BrokerControl = MindToBroker | EngineToBroker | MemoryMessage | { readonly type: 'check' | 'late' };
type EngineUp = EngineToBroker & { type: 'up' };

class Broker implements Behaviour {
  readonly #ctx: Context;
  readonly #post: BrokerPost;
  readonly #ledger: Ledger;
  readonly #occupancy: Occupancy;
  readonly #relaunch: Relaunch;
  readonly #memory: Memory;
  #engine: EngineUp | undefined;
  /** Why turns wait, as all those who do were told. */
  #reason: QueueReason | undefined;
  #checking = false;
  #downSince: number;

  constructor(ctx: Context, args: BrokerArgs, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    this.#post = new BrokerPost(ctx);
    this.#occupancy = new Occupancy(args.pageBytes, (message) => this.#tellEngine(message));
    this.#ledger = new Ledger(ctx.incarnation * GRANTS_A_START);
    this.#relaunch = new Relaunch(ctx, () => this.#settle());
    this.#downSince = ctx.now;
    this.#memory = new Memory(ctx, args.budgets, {
      occupancy: this.#occupancy,
      turns: this.#ledger,
      relaunch: this.#relaunch,
    });
    if (ctx.incarnation > 0) tellOfStart(ctx, saved);
  }

  receive(message: BrokerMessage): unknown {
    if (message.type !== 'relaunch') return this.#occupancy.answer(message, this.#ledger);
    this.#memory.asked(message.shape);
    return this.#relaunch.ask({ ...message, reply: this.#ctx.replyLater() });
  }

  control(message: BrokerControl, ctx: Context): unknown {
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
      case 'check':
        this.#checking = false;
        this.#refuseLate();
        break;
      case 'late':
        this.#relaunch.late();
        break;
      case 'never-ran':
        this.#giveBack(message.grant);
        break;
      case 'paged':
      case 'unpaged':
      case 'shrank':
        this.#occupancy.hear(message);
        break;
      case 'holds':
      case 'look':
      case 'memory':
        return this.#memory.hear(message, ctx.sender);
    }
    return this.#settle();
  }

  notice(notice: Notice): void {
    if (notice.type !== 'ended') return;
    this.#memory.gone(notice.id);
    if (notice.id === this.#engine?.engine) this.#down(notice.reason);
    else {
      this.#takeBack(notice.id);
      this.#occupancy.forget(`${notice.id}/`);
      this.#ledger.forget(notice.id);
      this.#ctx.save(`mind/${notice.id}`, undefined);
    }
    this.#settle();
  }

  #request(message: MindToBroker & { type: 'request' }, mind: ActorId): void {
    if (!this.#ledger.knows(mind)) {
      this.#ctx.watch(mind);
      this.#ctx.save(`mind/${mind}`, mind);
    }
    const request = this.#ledger.add(message, mind, this.#ctx.now);
    if (this.#engine !== undefined) this.#refuse(request, admit(request.cells, this.#engine.shape.cells));
  }

  /** It waits no longer, if there is a reason. */
  #refuse(request: Request, error: TroupeError | undefined): void {
    if (error === undefined) return;
    this.#ledger.drop(request.grant);
    this.#post.refused(request, error);
  }

  #settle(): void {
    this.#grantAll();
    this.#sayWhy();
  }

  #grantAll(): void {
    const engine = this.#engine;
    if (engine === undefined) return;
    this.#refuseMoves();
    if (this.#relaunch.holds(this.#ledger.granted.size, (message) => this.#tellEngine(message))) return;
    while (this.#ledger.waiting.size > 0) {
      const placement = choose({
        waiting: this.#ledger.waiting.values(),
        lanes: this.#occupancy.lanes.all,
        cells: engine.shape.cells,
        paged: (activity) => this.#occupancy.pages.of(activity)?.held ?? 0,
        now: this.#ctx.now,
      });
      if (placement === undefined) return;
      this.#grant(placement, engine);
    }
  }

  #grant({ turn: request, lane, cells, vacate }: Placement<Request>, engine: EngineUp): void {
    for (const number of vacate) this.#occupancy.vacate(number, (other) => this.#ledger.isWanted(other));
    const { now } = this.#ctx;
    const continues = this.#occupancy.lanes.take(lane, request.activity, cells, now);
    this.#ledger.grant(request, lane, now);
    const { vacated } = this.#occupancy;
    this.#post.granted(request, { epoch: engine.epoch, lane, continues, vacated });
  }

  /** Moves that have come to their turn and have nothing to move. */
  #refuseMoves(): void {
    for (const request of this.#ledger.fresh()) {
      this.#refuse(request, request.move && this.#occupancy.immovable(request.activity, request.move));
    }
  }

  /** Tells those who go on waiting why, once a reason. */
  #sayWhy(): void {
    const { waiting } = this.#ledger;
    const fresh = this.#ledger.takeFresh();
    if (waiting.size === 0) return;
    const isDown = this.#engine === undefined || this.#relaunch.isWanted;
    const reason = isDown ? 'relaunching' : waitReason(this.#occupancy.lanes.all);
    this.#post.queued(reason === this.#reason ? fresh : waiting.values(), reason);
    this.#reason = reason;
    if (this.#checking) return;
    this.#checking = true;
    this.#ctx.after(CHECK_MS, { type: 'check' });
  }

  /** The engine ran a grant, or refused to: its words say what the lane holds now. */
  #ran(ran: EngineToBroker & { type: 'ran' }): void {
    const grant = this.#ledger.close(ran.grant);
    if (grant === undefined) return;
    this.#ledger.charge(grant, ran.processed, ran.produced);
    this.#occupancy.lanes.settle(grant.lane, ran.activity, ran, this.#ctx.now);
  }

  /** The turn no longer wants its lane: it waited, or its grant was never used. */
  #withdraw(mind: ActorId, ticket: number): void {
    const number = this.#ledger.number(mind, ticket);
    if (number !== undefined && !this.#ledger.drop(number)) this.#giveBack(number);
  }

  /** A grant whose run never came: its lane is as it was. */
  #giveBack(number: number): void {
    const grant = this.#ledger.close(number);
    if (grant !== undefined) this.#occupancy.lanes.giveBack(grant.lane);
  }

  /** A mind is gone, or was started again: what it asked for is dropped, what it has is taken back. */
  #takeBack(mind: ActorId): void {
    const error = toEnvelope(new MindLeft({ name: `actor ${mind}` }));
    for (const grant of this.#ledger.numbersOf(mind)) {
      if (!this.#ledger.drop(grant)) this.#tellEngine({ type: 'revoke', grant, error });
    }
  }

  #up(engine: EngineUp): void {
    // Said again, for its answer was late.
    if (engine.engine === this.#engine?.engine && engine.epoch === this.#engine.epoch) return;
    this.#down('it was started again');
    this.#ctx.watch(engine.engine);
    this.#ctx.save('engine', engine.engine);
    this.#engine = engine;
    this.#occupancy.open(engine.epoch, engine.shape, engine.pages);
    this.#memory.up(engine.shape);
    this.#relaunch.up(engine.shape, engine.error);
    for (const request of [...this.#ledger.waiting.values()]) {
      this.#refuse(request, admit(request.cells, engine.shape.cells));
    }
  }

  /** The engine is gone: every grant is void; those who wait go on waiting for the next engine. */
  #down(reason: string): void {
    if (this.#engine === undefined) return;
    this.#engine = undefined;
    const error = toEnvelope(new EngineLost({ reason }));
    for (const number of [...this.#ledger.granted.keys()]) {
      const grant = this.#ledger.close(number);
      if (grant !== undefined) this.#post.revoked(grant.request, error);
    }
    this.#downSince = this.#ctx.now;
  }

  #refuseLate(): void {
    if (this.#engine !== undefined || this.#ctx.now - this.#downSince < RELAUNCH_MS) return;
    const error = new EngineLost({ reason: `it did not come back within ${RELAUNCH_MS} ms` });
    for (const request of [...this.#ledger.waiting.values()]) this.#refuse(request, error);
  }

  #tellEngine(message: EngineControl): void {
    if (this.#engine !== undefined) this.#ctx.tell(this.#engine.engine, message, { band: Band.reserved });
  }
}

const broker: Definition<BrokerArgs> = {
  kind: 'broker',
  start: (ctx, args, saved) => new Broker(ctx, args, saved),
};

export default broker;
