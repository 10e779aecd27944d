/**
 * The residency actor: the one owner of which genes there are, under which names, and which turns hold them.
 * It moves no bytes: who asks it to bind or unbind loads and unloads them, on an offload thread.
 */
import { GeneInUse, TroupeError } from '../../errors.js';
import { type Behaviour, type Context, type Definition, refuse } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band, type Notice } from '../../runtime/message.js';
import type { EngineControl } from '../engine/protocol.js';
import { Confirmations, type Unconfirmed } from './confirmations.js';
import { GeneNames } from './names.js';
import { PinBook } from './pins.js';
import type {
  Bound,
  MindToResidency,
  NamedGeneInfo,
  ResidencyArgs,
  ResidencyMessage,
  ResidencyToMind,
} from './protocol.js';

/** What the keys of the saved state begin with. */
const GENE = 'gene/';
const MIND = 'mind/';

class Residency implements Behaviour {
  readonly #ctx: Context;
  readonly #args: ResidencyArgs;
  readonly #names: GeneNames;
  readonly #pins = new PinBook();
  readonly #confirmations: Confirmations;
  /** Minds that have ever pinned anything and are not known to have ended. */
  readonly #minds = new Set<ActorId>();

  constructor(ctx: Context, args: ResidencyArgs, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    this.#args = args;
    this.#confirmations = new Confirmations(ctx);
    const of = <T>(kind: string) =>
      [...saved].flatMap(([key, value]) => (key.startsWith(kind) ? [value as T] : []));
    this.#names = new GeneNames(of<NamedGeneInfo>(GENE));
    for (const mind of of<ActorId>(MIND)) {
      ctx.watch(mind);
      this.#minds.add(mind);
      this.#tell(mind, { type: 'pin-again' });
    }
  }

  async receive(message: ResidencyMessage): Promise<unknown> {
    try {
      return await this.#answer(message);
    } catch (error) {
      if (error instanceof TroupeError) return refuse(error);
      throw error;
    }
  }

  control(message: MindToResidency | Unconfirmed, ctx: Context): void {
    const mind = ctx.sender;
    switch (message.type) {
      case 'pin':
        return this.#pin(mind, message);
      case 'unpin':
        return this.#pins.unpin(mind, message.turn);
      case 'forget':
        return this.#pins.forget(mind);
      case 'confirmed':
        return this.#confirmations.answered(mind, message.question);
      case 'unconfirmed':
        return this.#confirmations.settle(message.question);
    }
  }

  /** A mind has ended, whatever its turns were doing. */
  notice(notice: Notice): void {
    if (notice.type !== 'ended') return;
    this.#pins.forget(notice.id);
    this.#confirmations.ended(notice.id);
    this.#minds.delete(notice.id);
    this.#ctx.save(MIND + notice.id, undefined);
  }

  #answer(message: ResidencyMessage): Promise<Bound> | NamedGeneInfo[] {
    switch (message.type) {
      case 'list':
        return this.#names.all();
      case 'bind':
        return this.#bind(message.gene, message.replace);
      case 'unbind':
        return this.#unbind(message.name);
    }
  }

  async #bind(gene: NamedGeneInfo, replace: boolean): Promise<Bound> {
    const bound = this.#names.replaced(gene, replace);
    if (bound !== undefined) await this.#checkUnpinned(bound);
    this.#names.bind(gene);
    this.#ctx.save(GENE + gene.name, gene);
    return this.#orphans(bound);
  }

  async #unbind(name: string): Promise<Bound> {
    const bound = this.#names.named(name);
    if (this.#args.default.includes(name)) {
      throw new GeneInUse({ gene: name, by: 'minds that name no genes: it is active by default' });
    }
    await this.#checkUnpinned(bound);
    this.#names.unbind(name);
    this.#ctx.save(GENE + name, undefined);
    return this.#orphans(bound);
  }

  /** Throws GeneInUse while a turn holds the gene, by what its mind says now. */
  async #checkUnpinned({ name, id }: NamedGeneInfo): Promise<void> {
    await this.#confirmations.ask(this.#pins.holders(id));
    const turns = this.#pins.turns(id);
    if (turns > 0) throw new GeneInUse({ gene: name, by: turns === 1 ? 'one turn' : `${turns} turns` });
  }

  /** The gene, if it has lost its last name: what was computed under it means nothing any more. */
  #orphans(gene: NamedGeneInfo | undefined): Bound {
    if (gene === undefined || this.#names.knows(gene.id)) return { orphans: [] };
    const unloaded: EngineControl = { type: 'unloaded', gene: gene.id };
    this.#ctx.tell(this.#args.engine, unloaded, { band: Band.reserved });
    return { orphans: [gene.id] };
  }

  #pin(mind: ActorId, { turn, genes }: MindToResidency & { type: 'pin' }): void {
    if (!this.#minds.has(mind)) {
      this.#ctx.watch(mind);
      this.#minds.add(mind);
      this.#ctx.save(MIND + mind, mind);
    }
    let answer: ResidencyToMind;
    try {
      const phenotype = this.#names.phenotype(genes);
      this.#pins.pin(
        mind,
        turn,
        phenotype.map(({ gene }) => gene),
      );
      answer = { type: 'pinned', turn, genes: phenotype };
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      answer = { type: 'unpinned', turn, error: toEnvelope(error) };
    }
    this.#tell(mind, answer);
  }

  #tell(mind: ActorId, message: ResidencyToMind): void {
    this.#ctx.tell(mind, message, { band: Band.reserved });
  }
}

const residency: Definition<ResidencyArgs> = {
  kind: 'residency',
  start: (ctx, args, saved) => new Residency(ctx, args, saved),
};

export default residency;
