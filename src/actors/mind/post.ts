/**
 * What a mind says to others, each on the band that its protocol wants.
 */
import type { Context } from '../../runtime/actor.js';
import type { ErrorEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { Activity } from '../activity.js';
import type { BrokerToMind, MindToBroker } from '../broker/protocol.js';
import type { EngineControl, LeftIn, Run } from '../engine/protocol.js';
import type { MindArgs, ReaderQuestion } from './protocol.js';
import type { Prepared, Turn } from './turn.js';

type Granted = BrokerToMind & { readonly type: 'granted' };

export class Post {
  readonly #ctx: Context;
  readonly #args: MindArgs;
  #isKnown = false;

  constructor(ctx: Context, args: MindArgs) {
    this.#ctx = ctx;
    this.#args = args;
  }

  /** Asks for a lane, cells for prompt and reply, and its genes. */
  request(turn: Turn, { tokens, maxTokens }: Prepared, activity: Activity): void {
    if (!this.#isKnown) this.#broker({ type: 'here' });
    this.#isKnown = true;
    const { ticket, request } = turn;
    const cells = tokens.length + maxTokens;
    const genes = request.genes ?? this.#args.genes;
    const { class: turnClass } = this.#args;
    const since = turn.askedAt ?? this.#ctx.now;
    const what = { ticket, turn: request.turn, activity, class: turnClass, cells, since, genes };
    this.#broker({ type: 'request', ...what });
  }

  /** What this ticket had of a lane it no longer has. */
  released(ticket: number): void {
    this.#broker({ type: 'released', ticket });
  }

  withdraw(turn: Turn): void {
    this.#broker({ type: 'withdraw', ticket: turn.ticket });
  }

  /** Says which turns are over; what was to be said of them before has been. */
  confirm(question: number, over: readonly number[]): void {
    this.#broker({ type: 'confirmed', question, over });
  }

  /** This mind was started again, and knows of no turns. */
  forget(): void {
    this.#broker({ type: 'forget' });
  }

  /** Starts a granted turn's run. */
  /** False: the engine is not there, or its mailbox is full. */
  run(turn: Turn, prepared: Prepared, activity: Activity, granted: Granted): boolean {
    const { grant, epoch, lane, continues, sharing, vacated } = granted;
    const { tokens, base, partings, maxTokens } = prepared;
    const { sampling, phenotype } = turn;
    const genes = phenotype.map(({ gene, scale }) => ({ gene, scale }));
    const { stops, reader, turn: number } = turn.request;
    const run = {
      type: 'run' as const,
      grant,
      epoch,
      activity,
      lane,
      continues,
      sharing,
      vacated,
      tokens,
      genes,
      base,
      partings,
      sampling,
      stops,
      maxTokens,
      reader,
      turn: number,
      soFar: turn.said?.soFar,
    };
    return this.#ctx.tell(this.#args.engine, run satisfies Run);
  }

  yield({ grant }: Turn, leftIn: LeftIn): void {
    this.#engine({ type: 'yield', grant, leftIn });
  }

  /** Asks how far a reply has come, of a run that has no last word. */
  askReader({ request, grant }: Turn): void {
    const question = { type: 'how-far' as const, turn: request.turn, grant } satisfies ReaderQuestion;
    this.#ctx.tell(request.reader, question, { band: Band.reserved });
  }

  cancel(turn: Turn, error: ErrorEnvelope | undefined): void {
    this.#engine({ type: 'cancel', grant: turn.grant, error });
  }

  #broker(message: MindToBroker): void {
    this.#ctx.tell(this.#args.broker, message, { band: Band.reserved });
  }

  #engine(message: EngineControl): void {
    this.#ctx.tell(this.#args.engine, message, { band: Band.reserved });
  }
}
