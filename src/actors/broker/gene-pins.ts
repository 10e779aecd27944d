/**
 * The broker's words with the residency: pins for grants, and who still holds a gene. Nobody else pins.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import { type Activity, belongsTo, mindOf } from '../activity.js';
import type { BrokerToResidency, GeneStock, PinnedGene, ResidencyToBroker } from '../residency/protocol.js';
import { GeneTable } from './gene-table.js';
import type { BrokerPost } from './post.js';
import type { Grant, TurnBook } from './turn-book.js';

/** The newest question of the residency, which asks one after the other, and the minds that have not answered it. */
interface Question {
  readonly question: number;
  readonly open: Set<ActorId>;
}

type GenesUp = ResidencyToBroker & { readonly type: 'genes-up' };
type Confirm = ResidencyToBroker & { readonly type: 'confirm' };

export class GenePins {
  readonly table = new GeneTable();
  readonly #ctx: Context;
  readonly #post: BrokerPost;
  #residency: ActorId | undefined;
  #question: Question | undefined;
  /** Activities that ran genes when they were last granted a lane. */
  readonly #phenotyped = new Set<Activity>();

  constructor(ctx: Context, post: BrokerPost) {
    this.#ctx = ctx;
    this.#post = post;
  }

  /** A residency that was started knows of no pins, and this broker, if it was, not what ran genes before. */
  up(residency: ActorId, { stock, activities }: GenesUp, { granted }: TurnBook): void {
    this.#residency = residency;
    this.#ctx.save('residency', residency);
    this.table.hear(stock);
    for (const activity of activities) this.#phenotyped.add(activity);
    // Of minds that are gone there is word at once.
    for (const mind of new Set(activities.map(mindOf))) this.#ctx.watch(mind);
    for (const [number, grant] of granted) if (this.table.holds(number)) this.#say(number, grant);
    this.#tell({ type: 'all-said' });
  }

  /** What there is to be pinned. A residency whose first word was lost with the broker that heard it is to say it again. */
  hear(residency: ActorId, stock: GeneStock): void {
    this.table.hear(stock);
    if (residency !== this.#residency) this.#ctx.tell(residency, { type: 'forget' }, { band: Band.reserved });
  }

  /** Who can end the wait for a pin. */
  get residency(): ActorId | undefined {
    return this.#residency;
  }

  pin(number: number, grant: Grant): void {
    this.table.pin(number, grant.request.genes);
    this.#phenotyped.add(grant.request.activity);
    this.#say(number, grant);
  }

  /** Its genes are pinned: those that its names stood for by then. */
  pinned(number: number, genes: readonly PinnedGene[]): void {
    this.table.pin(number, [...new Set(genes.map(({ gene }) => gene))]);
  }

  /** A turn that runs no genes has a lane. */
  bare(activity: Activity): void {
    if (this.#phenotyped.delete(activity)) this.#tell({ type: 'bare', activity });
  }

  unpin(grant: number): void {
    if (this.table.unpin(grant)) this.#tell({ type: 'unpin', grant });
  }

  /** A mind is gone for good. */
  left(mind: ActorId): void {
    const mine = [...this.#phenotyped].filter((activity) => belongsTo(activity, mind));
    for (const activity of mine) this.#phenotyped.delete(activity);
    if (mine.length > 0) this.#tell({ type: 'left', mind });
    this.#answered(mind);
  }

  /** Asks the minds of those that hold a gene which of their turns are over. */
  confirm({ question, gene }: Confirm, { granted }: TurnBook): void {
    const tickets = new Map<ActorId, number[]>();
    for (const number of this.table.holders(gene)) {
      const request = granted.get(number)?.request;
      if (request !== undefined)
        tickets.set(request.mind, [...(tickets.get(request.mind) ?? []), request.ticket]);
    }
    this.#question = { question, open: new Set(tickets.keys()) };
    for (const [mind, mine] of tickets) this.#post.confirm(mind, question, mine);
    this.#settle();
  }

  /** A mind has answered, and what it said is done. */
  confirmed(mind: ActorId, question: number): void {
    if (this.#question?.question === question) this.#answered(mind);
  }

  #answered(mind: ActorId): void {
    this.#question?.open.delete(mind);
    this.#settle();
  }

  #settle(): void {
    if (this.#question?.open.size !== 0) return;
    this.#tell({ type: 'confirmed', question: this.#question.question });
    this.#question = undefined;
  }

  #say(grant: number, { request, phenotype }: Grant): void {
    const { activity, turn } = request;
    if (phenotype === undefined) this.#tell({ type: 'pin', grant, activity, turn, genes: request.phenotype });
    else this.#tell({ type: 'hold', grant, activity, turn, genes: phenotype.genes });
  }

  #tell(message: BrokerToResidency): void {
    if (this.#residency !== undefined) this.#ctx.tell(this.#residency, message, { band: Band.reserved });
  }
}
