/**
 * The residency actor: the one owner of which genes there are, under which names and where, of which grants hold them, and
 * of what each activity runs. It says what moves, and when a grant has what it needs; the bytes are moved on offload threads
 * (`mover.ts`).
 */
import { TroupeError } from '../../errors.js';
import { type Behaviour, type Context, type Definition, refuse } from '../../runtime/actor.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import { type LeaseMessage, LeaseNews } from '../broker/lease-news.js';
import type { Lease } from '../broker/leases.js';
import { Activities } from './activities.js';
import { Arrivals } from './arrivals.js';
import { Confirmations, type Unconfirmed } from './confirmations.js';
import { GeneJobs, type GeneWork } from './gene-jobs.js';
import { Inventory } from './inventory.js';
import { leasesOf } from './leases.js';
import { type MoveAgain, Mover } from './mover.js';
import { type Paused, Pauses } from './pauses.js';
import { PinBook } from './pins.js';
import type {
  BrokerToResidency,
  GeneStats,
  GeneStock,
  NamedGeneInfo,
  PinnedGene,
  PoolUse,
  Relieve,
  ResidencyArgs,
  ResidencyMessage,
  ResidencyQuestion,
  ResidencyToBroker,
} from './protocol.js';
import type { ReliefLate } from './reliefs.js';
import { useTimesOf } from './saved-uses.js';
import { statsOf } from './stats.js';
import { GENE, GeneVerbs } from './verbs.js';

/** What it tells itself. */
type Own = Unconfirmed | Paused | MoveAgain | ReliefLate | LeaseMessage;

/** What an earlier start has left. */
interface Before {
  readonly genes: readonly NamedGeneInfo[];
  readonly saved: ReadonlyMap<string, unknown>;
}

class Residency implements Behaviour {
  readonly #ctx: Context;
  readonly #args: ResidencyArgs;
  readonly #limits: { readonly slots: number; readonly hostBytes: number };
  readonly #inventory: Inventory;
  readonly #pins = new PinBook();
  readonly #activities: Activities;
  readonly #arrivals: Arrivals;
  readonly #jobs: GeneWork;
  readonly #mover: Mover;
  readonly #verbs: GeneVerbs;
  readonly #confirmations: Confirmations;
  readonly #pauses: Pauses;
  readonly #news: LeaseNews;

  constructor(ctx: Context, args: ResidencyArgs, jobs: GeneWork, { genes, saved }: Before) {
    this.#ctx = ctx;
    this.#args = args;
    this.#limits = { slots: args.slots ?? Number.POSITIVE_INFINITY, hostBytes: args.hostBytes };
    this.#inventory = new Inventory(genes, useTimesOf(ctx, saved));
    this.#activities = new Activities(ctx, saved);
    this.#news = new LeaseNews(ctx, args.broker, () => ({ holder: 'residency', leases: this.#leases() }));
    this.#confirmations = new Confirmations(ctx, args.broker);
    this.#pauses = new Pauses(ctx);
    this.#jobs = jobs;
    const fixed = () => this.#fixed();
    this.#arrivals = new Arrivals(this.#inventory, this.#pins, this.#limits.slots, fixed);
    this.#mover = new Mover(ctx, this.#inventory, this.#jobs, this.#limits, {
      held: () => this.#pins.genes(),
      fixed,
      begins: () => this.#news.tell(),
      ended: () => this.#news.changed(),
      came: () => this.#serve(),
      failed: (gene, error) => this.#refuse(gene, error),
    });
    this.#verbs = new GeneVerbs({
      ...{ ctx, args, inventory: this.#inventory, pins: this.#pins, jobs: this.#jobs, mover: this.#mover },
      pause: (ms) => this.#pauses.of(ms),
      confirm: (gene) => this.#confirmations.ask(gene),
      renamed: () => {
        this.#tell({ type: 'stock', stock: this.#stock() });
        this.#news.changed();
      },
    });
    this.#sayUp();
  }

  async receive(message: ResidencyMessage): Promise<unknown> {
    try {
      return await this.#verbs.run(message);
    } catch (error) {
      if (error instanceof TroupeError) return refuse(error);
      throw error;
    }
  }

  control(message: BrokerToResidency | ResidencyQuestion | Relieve | PoolUse | Own, ctx: Context): unknown {
    switch (message.type) {
      case 'pin':
        return this.#pin(message);
      case 'hold':
        return this.#hold(message);
      case 'all-said':
        return this.#mover.begin();
      case 'unpin':
        return this.#unpin(message.grant);
      case 'bare':
        return this.#activities.bare(message.activity);
      case 'left':
        return this.#activities.left(message.mind);
      case 'forget':
        this.#arrivals.clear();
        return this.#sayUp();
      case 'confirmed':
      case 'unconfirmed':
        return this.#confirmations.settle(message.question);
      case 'paused':
        return this.#pauses.over(message.pause);
      case 'unstuck':
      case 'move-on':
      case 'moves-failed':
        return this.#mover.hear(message);
      case 'relieve':
        return this.#mover.relieve(message, ctx.replyLater());
      case 'relief-late':
        return this.#mover.relieveLate(message.ask);
      case 'leases-changed':
      case 'leases-again':
        return this.#news.hear(message);
      case 'pool-use':
        return this.#mover.poolUse(message);
      case 'list':
        return this.#inventory.named();
      case 'stats':
        return statsOf(this.#inventory.genes(), this.#limits, this.#mover.counts.all()) satisfies GeneStats;
    }
  }

  stop(): Promise<void> {
    this.#mover.stop();
    return this.#jobs.close();
  }

  #pin({ grant, activity, turn, genes }: BrokerToResidency & { type: 'pin' }): void {
    let phenotype: PinnedGene[];
    try {
      phenotype = this.#inventory.phenotype(genes);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      this.#tell({ type: 'unpinned', grant, error: toEnvelope(error) });
      return;
    }
    if (!this.#arrivals.add(grant, phenotype)) return this.#tell({ type: 'short', grant });
    const ids = idsOf(phenotype);
    if (this.#activities.run(activity, turn, ids)) this.#inventory.use(ids);
    this.#news.changed();
    this.#serve();
  }

  #hold({ grant, activity, turn, genes }: BrokerToResidency & { type: 'hold' }): void {
    this.#pins.pin(grant, idsOf(genes));
    this.#activities.run(activity, turn, idsOf(genes));
    this.#news.changed();
  }

  /** A run has ended: whoever waits for its room comes first, then what others will want again. */
  #unpin(grant: number): void {
    this.#arrivals.drop(grant);
    this.#news.changed();
    this.#serve();
    this.#mover.expect((gene) => this.#activities.wants(gene));
  }

  /** Says which grants have all that they need, and has moved what others need. */
  #serve(): void {
    for (const arrival of this.#arrivals.ready()) this.#tell({ type: 'pinned', ...arrival });
    this.#mover.kick();
  }

  /** Grants that wait for a gene cannot have it. */
  #refuse(gene: number, error: unknown): void {
    for (const grant of this.#arrivals.refuse(gene)) {
      this.#tell({ type: 'unpinned', grant, error: toEnvelope(error) });
    }
  }

  #fixed(): number[] {
    return this.#inventory.fixed(this.#args.default);
  }

  #leases(): Lease[] {
    const kept = new Set([...this.#pins.genes(), ...this.#fixed()]);
    return leasesOf(this.#inventory.genes(), this.#inventory.ids(), kept);
  }

  #stock(): GeneStock {
    return { named: this.#inventory.ids(), fixed: this.#fixed(), slots: this.#limits.slots };
  }

  #sayUp(): void {
    this.#tell({ type: 'genes-up', stock: this.#stock(), activities: this.#activities.all() });
    this.#news.changed();
  }

  #tell(message: ResidencyToBroker): void {
    this.#ctx.tell(this.#args.broker, message, { band: Band.reserved });
  }
}

const idsOf = (genes: readonly PinnedGene[]): number[] => genes.map(({ gene }) => gene);

/** `workOn`: what moves the genes of loaded weights. */
export const residencyOver = (workOn: (model: number) => GeneWork): Definition<ResidencyArgs> => ({
  kind: 'residency',
  async start(ctx, args, saved) {
    const named = [...saved].flatMap(([key, gene]) => (key.startsWith(GENE) ? [gene as NamedGeneInfo] : []));
    const jobs = workOn(args.model);
    const { genes, nameless } = await whereNow(jobs, named, ctx.incarnation);
    if (nameless.length > 0) ctx.tell(ctx.self, { type: 'free-nameless', genes: nameless });
    return new Residency(ctx, args, jobs, { genes, saved });
  },
});

interface Whereabouts {
  readonly genes: NamedGeneInfo[];
  /** Loaded, and crashed over before they had a name or after they had lost it. */
  readonly nameless: number[];
}

/** Genes of an earlier start with the tiers that they are in now. */
async function whereNow(
  jobs: GeneWork,
  saved: readonly NamedGeneInfo[],
  incarnation: number,
): Promise<Whereabouts> {
  if (incarnation === 0) return { genes: [], nameless: [] };
  const now = new Map((await jobs.list()).map((info) => [info.id, info]));
  const genes = saved.flatMap((gene) => {
    const info = now.get(gene.id);
    return info === undefined ? [] : [{ ...gene, ...info }];
  });
  const named = new Set(genes.map(({ id }) => id));
  return { genes, nameless: [...now.keys()].filter((id) => !named.has(id)) };
}

export default residencyOver((model) => new GeneJobs(model));
