/**
 * The pager: has activities leave their lanes, or come back into one, because somebody asks for it; and go to disk and come
 * back from there (`files.ts`, `reads.ts`). It is a client of the broker as minds are: it asks for the lane, and what it is
 * granted it spends on a move instead of a run.
 */
import {
  DeadlineExceeded,
  EmptyLane,
  EngineLost,
  fromEnvelope,
  MailboxFull,
  NoSuchPage,
} from '../../errors.js';
import { PageJobs, type PageWork } from '../../pages/page-jobs.js';
import type { Behaviour, Context, Definition, Reply } from '../../runtime/actor.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { LeaseMessage } from '../broker/lease-news.js';
import type { BrokerToMind, BrokerToPager, MindToBroker } from '../broker/protocol.js';
import type { EngineControl, Move, Moved, PageMove } from '../engine/protocol.js';
import { openBooks } from './books.js';
import { Files } from './files.js';
import { Folder } from './folder.js';
import { forgetRoom } from './forget.js';
import type { MoveMessage, PagerArgs, PagerControl, PagerMessage } from './protocol.js';
import { PutAway } from './put-away.js';
import { Reads } from './reads.js';
import { RoomWork } from './room-work.js';

/** Moves that wait or are under way at a time. */
const MAX_MOVES = 1024;
/** Tickets of a pager that was started again begin above those of before: the broker may still hold some of them. */
const TICKETS_A_START = 2 ** 20;

interface Pending {
  readonly message: MoveMessage;
  readonly reply: Reply;
  /** Ends its wait, and takes back its deadline. */
  readonly end: () => void;
  grant: number;
}

class Pager implements Behaviour {
  readonly #ctx: Context;
  readonly #args: PagerArgs;
  readonly #pending = new Map<number, Pending>();
  readonly #folder: Folder;
  readonly #work = new RoomWork();
  readonly #files: Files;
  readonly #reads: Reads;
  readonly #putAway: PutAway;
  #last: number;

  constructor(ctx: Context, args: PagerArgs, saved: ReadonlyMap<string, unknown>, makeWork: () => PageWork) {
    this.#ctx = ctx;
    this.#args = args;
    this.#last = ctx.incarnation * TICKETS_A_START;
    const books = openBooks(ctx, saved);
    this.#folder = new Folder(ctx, args, makeWork);
    this.#files = new Files(ctx, args, books, this.#folder, (message) => this.#move(message));
    this.#reads = new Reads(ctx, args, this.#files);
    this.#putAway = new PutAway(ctx, args, this.#files, books.loans);
    // So that the broker knows of it.
    this.#folder.begin(saved);
    this.#tellBroker({ type: 'here' });
    if (ctx.incarnation === 0) return;
    this.#tellBroker({ type: 'forget' });
    books.handed.ask(args.broker);
    // The jobs of the one before are over, and whatever memory they held is free.
    this.#folder.tellEngine();
  }

  receive(message: PagerMessage, ctx: Context): unknown {
    const reply = ctx.replyLater();
    this.#answer(message).then(reply.resolve, reply.reject);
    return undefined;
  }

  #answer(message: PagerMessage): Promise<unknown> {
    switch (message.type) {
      case 'end-loans':
        return this.#putAway.end();
      case 'files':
        return this.#files.answer(message);
      case 'forget':
        return this.#work.alone(message.name, () => forgetRoom(this.#ctx, this.#args, this.#files, message));
      case 'page-out':
      case 'page-in':
        return this.#work.beside(message.name, () => this.#move(message));
      default:
        return this.#work.beside(message.name, () => this.#files.answer(message));
    }
  }

  #move(message: MoveMessage): Promise<PageMove> {
    return new Promise((resolve, reject) =>
      this.#begin(message, { resolve: (moved) => resolve(moved as PageMove), reject }),
    );
  }

  stop(): Promise<void> {
    return this.#folder.close();
  }

  #begin(message: MoveMessage, reply: Reply): void {
    const ctx = this.#ctx;
    if (this.#pending.size >= MAX_MOVES) {
      reply.reject(new MailboxFull({ actor: ctx.name, band: 'user', bound: MAX_MOVES }));
      return;
    }
    const ticket = ++this.#last;
    const { type: move, activity, name, deadlineMs } = message;
    const endWait = ctx.wait({ for: this.#args.broker, reason: `${move} of ${name}`, deadlineMs });
    const takeBack = ctx.after(deadlineMs, { type: 'late', ticket } satisfies PagerControl);
    const end = (): void => {
      endWait();
      takeBack();
    };
    this.#pending.set(ticket, { message, reply, end, grant: 0 });
    this.#tellBroker({ type: 'request', ticket, activity, class: 'interactive', cells: 0, genes: [], move });
  }

  control(message: PagerControl | LeaseMessage | BrokerToMind | BrokerToPager | Moved): void {
    switch (message.type) {
      case 'granted':
        return this.#granted(message);
      case 'moved':
        return this.#moved(message);
      case 'refused':
      case 'revoked':
        return this.#fail(message.ticket, message.error);
      case 'restarted':
        for (const ticket of [...this.#pending.keys()]) {
          // It may yet come upon a request of before.
          this.#tellBroker({ type: 'withdraw', ticket });
          this.#fail(ticket, message.error);
        }
        return;
      case 'late':
        return this.#late(message.ticket);
      case 'disk-late':
        return this.#folder.waits.late(message.wait);
      case 'leases-again':
        // The broker was started again.
        this.#files.handed.ask(this.#args.broker);
        return this.#folder.disk.news.hear(message);
      case 'leases-changed':
        return this.#folder.disk.news.hear(message);
      case 'queued':
      // Moves run no genes, and no lane is wanted back from them.
      case 'confirm':
      case 'reclaim':
        return;
      case 'put-away':
      case 'put-lane-away':
        return this.#putAway.hear(message);
      case 'take-back':
        return this.#files.takeBacks.add(message.name);
      default:
        return this.#reads.hear(message);
    }
  }

  #granted(granted: BrokerToMind & { type: 'granted' }): void {
    const pending = this.#pending.get(granted.ticket);
    // One that failed meanwhile has withdrawn, and the broker takes the grant back on that.
    if (pending === undefined) return;
    const { ticket, grant, epoch, lane, continues, sharing, vacated } = granted;
    const { type, activity, mind } = pending.message;
    pending.grant = grant;
    const move = { type, grant, epoch, activity, lane, continues, sharing, vacated, mind };
    if (this.#ctx.tell(this.#args.engine, move satisfies Move)) return;
    this.#tellBroker({ type: 'withdraw', ticket });
    this.#fail(ticket, toEnvelope(new EngineLost({ reason: 'its thread is not there' })));
  }

  #moved({ grant, bytes, ms, error }: Moved): void {
    for (const [ticket, pending] of this.#pending) {
      if (pending.grant !== grant) continue;
      if (error !== undefined) return this.#fail(ticket, error);
      this.#take(ticket)?.reply.resolve({ bytes, ms });
      return;
    }
  }

  #late(ticket: number): void {
    const pending = this.#pending.get(ticket);
    if (pending === undefined) return;
    const { type, name, deadlineMs } = pending.message;
    const error = toEnvelope(new DeadlineExceeded({ what: `the ${type} of ${name}`, deadlineMs }));
    if (pending.grant === 0) this.#tellBroker({ type: 'withdraw', ticket });
    else this.#tellEngine({ type: 'cancel', grant: pending.grant, error });
    this.#fail(ticket, error);
  }

  #fail(ticket: number, error: ErrorEnvelope): void {
    const pending = this.#take(ticket);
    pending?.reply.reject(named(fromEnvelope(error), pending.message.name));
  }

  #take(ticket: number): Pending | undefined {
    const pending = this.#pending.get(ticket);
    this.#pending.delete(ticket);
    pending?.end();
    return pending;
  }

  #tellBroker(message: MindToBroker): void {
    this.#ctx.tell(this.#args.broker, message, { band: Band.reserved });
  }

  #tellEngine(message: EngineControl): void {
    this.#ctx.tell(this.#args.engine, message, { band: Band.reserved });
  }
}

/** Others know what moves by its number only. */
function named(error: unknown, name: string): unknown {
  for (const Unmoved of [NoSuchPage, EmptyLane]) if (error instanceof Unmoved) return new Unmoved({ name });
  return error;
}

/** `makeWork`: makes what runs the jobs of a folder of pages. */
export const pagerOver = (makeWork: () => PageWork): Definition<PagerArgs> => ({
  kind: 'pager',
  start: (ctx, args, saved) => new Pager(ctx, args, saved, makeWork),
});

export default pagerOver(() => new PageJobs());
