/**
 * What users ask of genes by name: load, unload, page out, page in; and why not.
 */
import { GeneInUse } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import { Band } from '../../runtime/message.js';
import type { EngineControl } from '../engine/protocol.js';
import type { GeneWork } from './gene-jobs.js';
import type { HeldGene, Inventory } from './inventory.js';
import type { Mover } from './mover.js';
import type { PinBook } from './pins.js';
import type { GeneMove, NamedGeneInfo, ResidencyArgs, ResidencyMessage } from './protocol.js';

/** A gene that nothing may run any more is tried to be freed for so long: steps of large prompts take seconds. */
const FREE_MS = 30_000;
/** Waits between two tries: the first, doubled from try to try up to the longest. */
const FREE_FIRST_MS = 20;
const FREE_MOST_MS = 1_000;

/** What the keys of the saved genes begin with. */
export const GENE = 'gene/';

export interface VerbsOf {
  readonly ctx: Context;
  readonly args: ResidencyArgs;
  readonly inventory: Inventory;
  readonly pins: PinBook;
  readonly jobs: GeneWork;
  readonly mover: Mover;
  /** Settles when those who hold the gene have been asked whether they still do. */
  readonly confirm: (gene: number) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
  /** Names stand for other genes than they did, or for none. */
  readonly renamed: () => void;
}

type LoadMessage = ResidencyMessage & { readonly type: 'load' };

export class GeneVerbs {
  readonly #of: VerbsOf;

  constructor(of: VerbsOf) {
    this.#of = of;
  }

  run(message: ResidencyMessage): Promise<NamedGeneInfo | GeneMove | undefined> {
    switch (message.type) {
      case 'load':
        return this.#load(message);
      case 'unload':
        return this.#unload(message.name);
      case 'free-nameless':
        return this.#freeNameless(message.genes);
      case 'page-out':
        return this.#pageOut(message.name);
      case 'page-in':
        return this.#of.mover.order(this.#of.inventory.of(message.name), 'device');
    }
  }

  async #load({ path, name, replace, learning }: LoadMessage): Promise<NamedGeneInfo> {
    const { inventory, jobs, mover, ctx } = this.#of;
    const loaded = await jobs.load(path);
    const gene = { ...loaded, name, path, learning };
    try {
      const replaced = inventory.replaced(name, loaded.id, replace);
      if (replaced !== undefined) {
        await this.#hearOfEnds(replaced);
        this.#checkFree(name, replaced);
      }
      await this.#name(name, gene);
    } catch (error) {
      if (inventory.gene(loaded.id) === undefined) await jobs.unload(loaded.id);
      throw error;
    }
    ctx.save(GENE + name, gene);
    mover.kick();
    return gene;
  }

  async #unload(name: string): Promise<undefined> {
    const { inventory, args, ctx } = this.#of;
    const gene = inventory.of(name);
    if (args.default.includes(name)) throw activeByDefault(name);
    await this.#hearOfEnds(gene);
    this.#checkFree(name, gene);
    await this.#name(name, undefined);
    ctx.save(GENE + name, undefined);
    return undefined;
  }

  async #pageOut(name: string): Promise<GeneMove> {
    const { inventory, args, mover } = this.#of;
    const gene = inventory.of(name);
    if (inventory.idsOf(args.default).includes(gene.id)) throw activeByDefault(name);
    await this.#hearOfEnds(gene);
    this.#checkFree(name, gene);
    return mover.order(gene, 'host');
  }

  /** One that has been loaded again meanwhile has a name. */
  async #freeNameless(genes: readonly number[]): Promise<undefined> {
    for (const gene of genes) {
      if (this.#of.inventory.gene(gene) === undefined) await this.#free(gene);
    }
    return undefined;
  }

  /** Who seems to hold a gene may have ended. */
  async #hearOfEnds({ id }: HeldGene): Promise<void> {
    if (this.#of.pins.holders(id) > 0) await this.#of.confirm(id);
  }

  /** Throws GeneInUse for the optimizer's gene, and while a turn runs it. What it allows is done before anything is awaited. */
  #checkFree(name: string, { id, learning }: HeldGene): void {
    if (learning) throw new GeneInUse({ gene: name, by: 'the learning optimizer' });
    const turns = this.#of.pins.holders(id);
    if (turns > 0) throw new GeneInUse({ gene: name, by: turns === 1 ? 'one turn' : `${turns} turns` });
  }

  /** Gives a name to a gene, or to none, and frees the one that has lost its last; if it cannot be, all is as it was. */
  async #name(name: string, gene: NamedGeneInfo | undefined): Promise<void> {
    const { inventory, renamed } = this.#of;
    const before = inventory.named().find((each) => each.name === name);
    if (before !== undefined && before.id !== gene?.id) inventory.unbind(name);
    if (gene !== undefined) inventory.bind(gene);
    renamed();
    if (before === undefined || inventory.gene(before.id) !== undefined) return;
    try {
      await this.#free(before.id);
    } catch (error) {
      inventory.unbind(name);
      inventory.bind(before);
      renamed();
      throw error;
    }
  }

  /** What was computed under it means nothing any more. Throws GeneInUse. */
  async #free(gene: number): Promise<void> {
    const { mover, ctx, args } = this.#of;
    await mover.still(gene);
    await this.#unloadWhenFree(gene);
    const unloaded: EngineControl = { type: 'unloaded', gene };
    ctx.tell(args.engine, unloaded, { band: Band.reserved });
  }

  /** The run of a turn whose mind was lost holds its genes until the engine has ended it. */
  async #unloadWhenFree(gene: number): Promise<void> {
    const { jobs, ctx, pause } = this.#of;
    const until = ctx.now + FREE_MS;
    for (let waitMs = FREE_FIRST_MS; ; waitMs = Math.min(2 * waitMs, FREE_MOST_MS)) {
      try {
        await jobs.unload(gene);
        return;
      } catch (error) {
        if (!(error instanceof GeneInUse) || ctx.now >= until) throw error;
      }
      await pause(waitMs);
    }
  }
}

const activeByDefault = (gene: string) =>
  new GeneInUse({ gene, by: 'minds that name no genes: it is active by default' });
