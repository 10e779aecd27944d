/**
 * The broker actor: who gets a lane, cells for prompt and reply, and slots for genes, and when. It hears what is asked, what
 * the engine has done and what the residency has; who waits is in `waiting.ts`, who has a lane in `grants.ts`, what is known
 * of lanes and pages in `occupancy.ts`; who is next is a function (`queue.ts`).
 *
 * A grant's life: requested, queued with a reason, given a lane, its genes pinned, granted, maybe reclaiming, and over when
 * the engine says that it ran (or when it will never be run: withdrawn, or its mind is gone).
 */
import { EngineLost } from '../../errors.js';
import type { Behaviour, Context, Definition } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band, type Notice } from '../../runtime/message.js';
import type { EngineControl, EngineToBroker } from '../engine/protocol.js';
import type { ResidencyToBroker } from '../residency/protocol.js';
import { Away, type WatchAgain } from './away.js';
import { GenePins } from './gene-pins.js';
import { Grants } from './grants.js';
import { Memory, type MemoryMessage } from './memory.js';
import { Occupancy } from './occupancy.js';
import { BrokerPost } from './post.js';
import type { BrokerArgs, BrokerMessage, MindToBroker, PagerToBroker } from './protocol.js';
import { choose } from './queue.js';
import { type ReclaimLate, Reclaims } from './reclaims.js';
import { tellOfStart } from './recover.js';
import { Relaunch } from './relaunch.js';
import { Spilled } from './spilled.js';
import { TurnBook } from './turn-book.js';
import { Waiting } from './waiting.js';

/** Turns age, genes are late, engines come back, all without a message: the queue is looked at so often while a turn waits. */
const CHECK_MS = 1_000;
/** Grant numbers of a broker that was started again begin above those of before. */
const GRANTS_A_START = 2 ** 32;

type Own = ReclaimLate | WatchAgain | { readonly type: 'check' | 'late' };
type BrokerControl = MindToBroker | EngineToBroker | ResidencyToBroker | PagerToBroker | MemoryMessage | Own;
type GeneWord = ResidencyToBroker | (MindToBroker & { readonly type: 'confirmed' });
type EngineUp = EngineToBroker & { type: 'up' };

class Broker implements Behaviour {
  readonly #ctx: Context;
  readonly #turns: TurnBook;
  readonly #occupancy: Occupancy;
  readonly #spilled: Spilled;
  readonly #pins: GenePins;
  readonly #waiting: Waiting;
  readonly #grants: Grants;
  readonly #reclaims: Reclaims;
  readonly #relaunch: Relaunch;
  readonly #memory: Memory;
  readonly #away: Away;
  #engine: EngineUp | undefined;
  #checking = false;
  /** Has the residency let go of what an earlier start of this broker had pinned; once. */
  #forget: (() => void) | undefined;

  constructor(ctx: Context, args: BrokerArgs, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    const tellEngine = (message: EngineControl): void => this.#tellEngine(message);
    const post = new BrokerPost(ctx);
    const turns = new TurnBook(ctx.incarnation * GRANTS_A_START);
    const occupancy = new Occupancy(args.pageBytes, ctx, tellEngine);
    const spilled = new Spilled(ctx, saved, occupancy, turns);
    const pins = new GenePins(ctx, post);
    const relaunch = new Relaunch(ctx, () => this.#settleAll());
    this.#turns = turns;
    this.#occupancy = occupancy;
    this.#spilled = spilled;
    this.#pins = pins;
    this.#relaunch = relaunch;
    this.#waiting = new Waiting({ ctx, post, turns, occupancy, genes: pins.table, spilled });
    this.#grants = new Grants({ ctx, post, turns, occupancy, pins, readings: spilled.readings, tellEngine });
    this.#reclaims = new Reclaims({ ctx, post, turns, genes: pins.table, tellEngine, status: args.status });
    const beside = { occupancy, turns, rooms: spilled, relaunch };
    this.#memory = new Memory(ctx, saved, args.budgets, beside);
    this.#away = new Away(ctx);
    if (ctx.incarnation > 0) this.#forget = tellOfStart(ctx, saved);
  }

  receive(message: BrokerMessage): unknown {
    if (message.type === 'page' || message.type === 'rooms') return this.#spilled.answer(message);
    if (message.type === 'forget-room') return this.#spilled.forgetRoom(message.activity, this.#pins);
    if (message.type !== 'relaunch') return this.#occupancy.answer(message, this.#spilled);
    this.#memory.asked(message.shape);
    return this.#relaunch.ask({ ...message, reply: this.#ctx.replyLater(), reclaims: 'realtime' });
  }

  control(message: BrokerControl, { sender }: Context): unknown {
    switch (message.type) {
      case 'here':
        return this.#waiting.meet(sender);
      case 'request':
        this.#waiting.add(message, sender, this.#engine?.shape);
        return this.#settle();
      case 'withdraw':
        this.#grants.withdraw(sender, message.ticket);
        break;
      case 'released':
        return this.#reclaims.released(sender, message.ticket);
      case 'reclaim-late':
        return this.#reclaims.late(message.grant);
      case 'forget':
        this.#startsAgain(sender);
        break;
      case 'watch-again':
        return this.#away.watchAgain();
      case 'up':
        this.#up(message);
        break;
      case 'ran':
        this.#grants.ran(message);
        this.#spilled.ran(message);
        break;
      case 'check':
        this.#checking = false;
        this.#grants.putOffLate();
        this.#reclaims.askForNext(this.#relaunch.isWanted ? undefined : this.#engine?.shape, this.#waiting);
        break;
      case 'late':
        this.#relaunch.late(this.#engine !== undefined);
        break;
      case 'never-ran':
        this.#grants.neverRan(message.grant);
        break;
      case 'paged':
      case 'unpaged':
      case 'shrank':
      case 'shared':
      case 'disk':
        this.#spilled.hear(message, sender);
        break;
      case 'holds':
      case 'look':
      case 'writing-late':
      case 'memory':
        return this.#memory.hear(message, sender);
      default:
        this.#hearOfGenes(message, sender);
    }
    return this.#settleAll();
  }

  #hearOfGenes(message: GeneWord, sender: ActorId): void {
    switch (message.type) {
      case 'genes-up':
        this.#pins.up(sender, message, this.#turns);
        return this.#waiting.admitAll(this.#engine?.shape);
      case 'stock':
        this.#pins.hear(sender, message.stock);
        return this.#waiting.admitAll(this.#engine?.shape);
      case 'pinned':
        return this.#grants.pinned(message);
      case 'short':
        return this.#grants.short(message.grant);
      case 'unpinned':
        return this.#grants.unpinned(message.grant, message.error);
      case 'confirm':
        return this.#pins.confirm(message, this.#turns);
      case 'confirmed':
        this.#grants.over(sender, message.over);
        return this.#pins.confirmed(sender, message.question);
    }
  }

  notice(notice: Notice): void {
    if (notice.type !== 'ended') return;
    this.#memory.gone(notice.id);
    if (notice.id === this.#engine?.engine) {
      this.#down(notice.reason);
      this.#grants.lost(notice.reason);
      this.#relaunch.lost(notice.reason);
    } else if (notice.lost) {
      this.#startsAgain(notice.id);
      this.#away.lost(notice.id);
    } else {
      this.#grants.takeBack(notice.id);
      this.#spilled.forget(notice.id);
      this.#pins.left(notice.id);
      this.#turns.forget(notice.id);
      this.#ctx.save(`mind/${notice.id}`, undefined);
    }
    this.#settleAll();
  }

  /** Something has changed, more than that some came to wait. */
  #settleAll(): void {
    this.#waiting.change();
    this.#settle();
  }

  #settle(): void {
    this.#grantAll();
    this.#sayWhy();
  }

  #grantAll(): void {
    const engine = this.#engine;
    if (engine === undefined) return;
    if (!this.#relaunch.isForRoom) this.#waiting.fetch(engine.shape);
    this.#relaunch.reclaim(this.#reclaims);
    if (this.#relaunch.holds(this.#turns.granted.size, (message) => this.#tellEngine(message))) return;
    while (this.#turns.waiting.size > 0) {
      const placement = choose(this.#waiting.state(engine.shape));
      if (placement === undefined) return;
      this.#waiting.change();
      this.#grants.give(placement);
    }
  }

  #sayWhy(): void {
    this.#waiting.sayWhy(this.#relaunch.isWanted ? undefined : this.#engine?.shape);
    if (this.#checking || (this.#turns.waiting.size === 0 && !this.#grants.arePinning)) return;
    this.#checking = true;
    this.#ctx.after(CHECK_MS, { type: 'check' });
  }

  /** A mind, or the pager, starts anew with what it had saved: what is kept of its rooms stays. */
  #startsAgain(one: ActorId): void {
    this.#grants.takeBack(one);
    this.#spilled.lost(one);
  }

  #up(engine: EngineUp): void {
    // Said again, for its answer was late.
    if (engine.engine === this.#engine?.engine && engine.epoch === this.#engine.epoch) return;
    this.#down('it was started again');
    this.#ctx.watch(engine.engine);
    this.#ctx.save('engine', engine.engine);
    this.#engine = engine;
    this.#forget?.();
    this.#forget = undefined;
    this.#grants.open(engine.epoch);
    this.#occupancy.open(engine.epoch, engine.shape, engine.pages);
    this.#spilled.opened();
    this.#memory.up(engine.shape);
    this.#relaunch.up(engine.shape, engine.error);
    this.#waiting.admitAll(engine.shape);
  }

  /** The engine is gone: every grant is void; those who wait go on waiting for the next engine. */
  #down(reason: string): void {
    if (this.#engine === undefined) return;
    this.#engine = undefined;
    this.#spilled.closed();
    this.#grants.void(toEnvelope(new EngineLost({ reason })));
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
