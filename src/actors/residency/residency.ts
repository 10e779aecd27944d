/**
 * The residency actor: the one owner of which genes there are, under which names, and which turns hold them.
 * It moves no bytes: who asks it to bind or unbind loads and unloads them, on an offload thread.
 */
import { TroupeError } from '../../errors.js';
import { type Behaviour, type Context, type Definition, refuse } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { toEnvelope } from '../../runtime/errors.js';
import { Band, type Notice } from '../../runtime/message.js';
import { GeneNames } from './names.js';
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
  readonly #names: GeneNames;
  /** Minds that have ever pinned anything and are not known to have ended. */
  readonly #minds = new Set<ActorId>();

  constructor(ctx: Context, args: ResidencyArgs, saved: ReadonlyMap<string, unknown>) {
    this.#ctx = ctx;
    const of = <T>(kind: string) =>
      [...saved].flatMap(([key, value]) => (key.startsWith(kind) ? [value as T] : []));
    this.#names = new GeneNames(args.default, of<NamedGeneInfo>(GENE));
    for (const mind of of<ActorId>(MIND)) {
      ctx.watch(mind);
      this.#minds.add(mind);
      this.#tell(mind, { type: 'pin-again' });
    }
  }

  receive(message: ResidencyMessage): unknown {
    try {
      return this.#answer(message);
    } catch (error) {
      if (error instanceof TroupeError) return refuse(error);
      throw error;
    }
  }

  control(message: MindToResidency, ctx: Context): void {
    const mind = ctx.sender;
    switch (message.type) {
      case 'pin':
        return this.#pin(mind, message);
      case 'unpin':
        return this.#names.unpin(mind, message.turn);
      case 'forget':
        return this.#names.forget(mind);
    }
  }

  /** A mind has ended, whatever its turns were doing. */
  notice(notice: Notice): void {
    if (notice.type !== 'ended') return;
    this.#names.forget(notice.id);
    this.#minds.delete(notice.id);
    this.#ctx.save(MIND + notice.id, undefined);
  }

  #answer(message: ResidencyMessage): Bound | NamedGeneInfo[] {
    switch (message.type) {
      case 'list':
        return this.#names.all();
      case 'bind': {
        const orphans = this.#names.bind(message.gene, message.replace);
        this.#ctx.save(GENE + message.gene.name, message.gene);
        return { orphans };
      }
      case 'unbind': {
        const orphans = this.#names.unbind(message.name);
        this.#ctx.save(GENE + message.name, undefined);
        return { orphans };
      }
    }
  }

  #pin(mind: ActorId, { turn, genes }: MindToResidency & { type: 'pin' }): void {
    if (!this.#minds.has(mind)) {
      this.#ctx.watch(mind);
      this.#minds.add(mind);
      this.#ctx.save(MIND + mind, mind);
    }
    let answer: ResidencyToMind;
    try {
      answer = { type: 'pinned', turn, genes: this.#names.pin(mind, turn, genes) };
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
