/**
 * The residency actor: the one owner of which genes there are, under which names and where, and of which turns hold them.
 * It says what moves, and when a turn has what it needs; the bytes are moved on offload threads (`mover.ts`).
 */
import { TroupeError } from '../../errors.js';
import { type Behaviour, type Context, type Definition, refuse } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band, type Notice } from '../../runtime/message.js';
import { Confirmations, type Unconfirmed } from './confirmations.js';
import { GeneJobs, type GeneWork } from './gene-jobs.js';
import { Inventory } from './inventory.js';
import { Mover, type Unstuck } from './mover.js';
import { type Paused, Pauses } from './pauses.js';
import { PinBook } from './pins.js';
import type {
  GeneStats,
  MindToResidency,
  NamedGeneInfo,
  PoolUse,
  Relieve,
  ResidencyArgs,
  ResidencyMessage,
  ResidencyQuestion,
  ResidencyToMind,
} from './protocol.js';
import { GeneQueue, type WaitingTurn } from './queue.js';
import type { ReliefLate } from './reliefs.js';
import { statsOf } from './stats.js';
import { GENE, GeneVerbs } from './verbs.js';

/** What the keys of the saved minds begin with. */
const MIND = 'mind/';

/** What it tells itself. */
type Own = Unconfirmed | Paused | Unstuck | ReliefLate;

/** What an earlier start has left. */
interface Before {
  readonly genes: readonly NamedGeneInfo[];
  readonly minds: readonly ActorId[];
}

class Residency implements Behaviour {
  readonly #ctx: Context;
  readonly #limits: { readonly slots: number; readonly hostBytes: number };
  readonly #inventory: Inventory;
  readonly #pins = new PinBook();
  readonly #queue: GeneQueue;
  readonly #jobs: GeneWork;
  readonly #mover: Mover;
  readonly #verbs: GeneVerbs;
  readonly #confirmations: Confirmations;
  readonly #pauses: Pauses;
  #wait: { readonly next: WaitingTurn; readonly holder: ActorId; readonly end: () => void } | undefined;
  /** Minds that have ever pinned anything and are not known to have ended. */
  readonly #minds = new Set<ActorId>();

  constructor(ctx: Context, args: ResidencyArgs, jobs: GeneWork, { genes, minds }: Before) {
    this.#ctx = ctx;
    this.#limits = { slots: args.slots ?? Number.POSITIVE_INFINITY, hostBytes: args.hostBytes };
    this.#inventory = new Inventory(genes);
    this.#confirmations = new Confirmations(ctx);
    this.#pauses = new Pauses(ctx);
    this.#jobs = jobs;
    const fixed = () => this.#inventory.fixed(args.default);
    this.#queue = new GeneQueue(this.#inventory, this.#pins, this.#limits.slots, fixed);
    this.#mover = new Mover(ctx, this.#inventory, this.#jobs, this.#limits, {
      held: () => this.#pins.genes(),
      fixed,
      came: () => this.#serve(),
      failed: (gene, error) => this.#refuse(gene, error),
    });
    this.#verbs = new GeneVerbs({
      ...{ ctx, args, inventory: this.#inventory, pins: this.#pins, jobs: this.#jobs, mover: this.#mover },
      pause: (ms) => this.#pauses.of(ms),
      confirm: (who) => this.#confirmations.ask(who),
      gone: (gene, error) => this.#refuse(gene, error),
    });
    for (const mind of minds) {
      ctx.watch(mind);
      this.#minds.add(mind);
      this.#tell(mind, { type: 'pin-again' });
    }
  }

  async receive(message: ResidencyMessage): Promise<unknown> {
    try {
      return await this.#verbs.run(message);
    } catch (error) {
      if (error instanceof TroupeError) return refuse(error);
      throw error;
    }
  }

  control(message: MindToResidency | ResidencyQuestion | Relieve | PoolUse | Own, ctx: Context): unknown {
    const mind = ctx.sender;
    switch (message.type) {
      case 'pin':
        return this.#pin(mind, message);
      case 'hold':
        this.#meet(mind);
        return this.#pins.pin(mind, message.turn, message.genes);
      case 'unpin':
        return this.#letGo(mind, message.turn);
      case 'forget':
        return this.#letGo(mind);
      case 'confirmed':
        return this.#confirmations.answered(mind, message.question);
      case 'unconfirmed':
        return this.#confirmations.settle(message.question);
      case 'paused':
        return this.#pauses.over(message.pause);
      case 'unstuck':
        return this.#mover.unstick();
      case 'relieve':
        return this.#mover.relieve(message, ctx.replyLater());
      case 'relief-late':
        return this.#mover.relieveLate(message.ask);
      case 'pool-use':
        return this.#mover.poolUse(message);
      case 'list':
        return this.#inventory.named();
      case 'stats':
        return statsOf(this.#inventory.genes(), this.#limits, this.#mover.counts.all()) satisfies GeneStats;
    }
  }

  /** A mind has ended, whatever its turns were doing. */
  notice(notice: Notice): void {
    if (notice.type !== 'ended') return;
    this.#letGo(notice.id);
    this.#confirmations.ended(notice.id);
    this.#minds.delete(notice.id);
    this.#ctx.save(MIND + notice.id, undefined);
  }

  stop(): Promise<void> {
    return this.#jobs.close();
  }

  #pin(mind: ActorId, { turn, genes, deadlineMs }: MindToResidency & { type: 'pin' }): void {
    this.#meet(mind);
    try {
      this.#queue.add(mind, turn, this.#inventory.phenotype(genes), deadlineMs);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      this.#tell(mind, { type: 'unpinned', turn, error: toEnvelope(error) });
      return;
    }
    this.#serve();
    this.#mover.kick();
  }

  #letGo(mind: ActorId, turn?: number): void {
    this.#queue.drop(mind, turn);
    if (turn === undefined) this.#pins.forget(mind);
    else this.#pins.unpin(mind, turn);
    this.#serve();
    this.#mover.kick();
  }

  #serve(): void {
    for (const { mind, turn, phenotype, missed } of this.#queue.serve()) {
      this.#tell(mind, { type: 'pinned', turn, genes: phenotype, missed });
    }
    this.#declareWait();
  }

  /** While a turn waits for room, so does the residency: for the mind that has held some for longest. */
  #declareWait(): void {
    const { next } = this.#queue;
    const holder = next && this.#pins.holder;
    if (this.#wait?.next === next && this.#wait?.holder === holder) return;
    this.#wait?.end();
    this.#wait = undefined;
    if (next === undefined || holder === undefined) return;
    const end = this.#ctx.wait({ for: holder, reason: 'a gene slot', deadlineMs: next.deadlineMs });
    this.#wait = { next, holder, end };
  }

  /** Turns that wait for a gene cannot have it. */
  #refuse(gene: number, error: unknown): void {
    for (const { mind, turn } of this.#queue.refuse(gene)) {
      this.#tell(mind, { type: 'unpinned', turn, error: toEnvelope(error) });
    }
    this.#serve();
  }

  #meet(mind: ActorId): void {
    if (this.#minds.has(mind)) return;
    this.#ctx.watch(mind);
    this.#minds.add(mind);
    this.#ctx.save(MIND + mind, mind);
  }

  #tell(mind: ActorId, message: ResidencyToMind): void {
    this.#ctx.tell(mind, message, { band: Band.reserved });
  }
}

/** `workOn`: what moves the genes of loaded weights. */
export const residencyOver = (workOn: (model: number) => GeneWork): Definition<ResidencyArgs> => ({
  kind: 'residency',
  async start(ctx, args, saved) {
    const of = <T>(kind: string) =>
      [...saved].flatMap(([key, value]) => (key.startsWith(kind) ? [value as T] : []));
    const jobs = workOn(args.model);
    const { genes, nameless } = await whereNow(jobs, of<NamedGeneInfo>(GENE), ctx.incarnation);
    if (nameless.length > 0) ctx.tell(ctx.self, { type: 'free-nameless', genes: nameless });
    return new Residency(ctx, args, jobs, { genes, minds: of<ActorId>(MIND) });
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
