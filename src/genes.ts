/**
 * Genes as a caller sees them: loaded from files under names, listed, unloaded; and the check of what a turn may run.
 * The bytes are moved on the offload pool; which names there are is the residency's knowledge.
 */
import { basename, resolve } from 'node:path';
import type { Bound, NamedGene, NamedGeneInfo, ResidencyMessage } from './actors/residency/protocol.js';
import { checkFields, checkFlag, checkText } from './check.js';
import { BadArgument, GeneInUse } from './errors.js';
import type { GeneFile, UnloadGene } from './jobs/genes.js';
import type { GeneInfo } from './native/addon.js';
import type { Offload } from './runtime/offload.js';
import { moduleUrl, type Stage } from './stage.js';

/** Longest list of genes of one turn: far more than mean anything together. */
const MAX_GENES = 64;
const MAX_NAME_CHARACTERS = 256;
/** Scales beyond it overflow. */
const MAX_SCALE = 1e6;
/** Reading a large file from a slow disk takes minutes. */
const LOAD_MS = 600_000;
/** A gene that nothing may run any more is tried to be freed for so long: steps of large prompts take seconds. */
const FREE_MS = 30_000;
/** Waits between two tries: the first, doubled from try to try up to the longest. */
const FREE_FIRST_MS = 20;
const FREE_MOST_MS = 1_000;

export interface LoadGeneOptions {
  /** What turns call it; default: the file's name without `.gguf`. */
  readonly name?: string;
  /** Takes the place of another gene of that name; refused `GeneInUse` while a turn runs it. */
  readonly replace?: boolean;
}

export class Genes {
  readonly #offload: Offload;
  readonly #stage: () => Stage;
  /** One at a time: between two steps of a load another could unload what it has just found. */
  #last: Promise<unknown> = Promise.resolve();

  /** For `Troupe`. */
  constructor(offload: Offload, stage: () => Stage) {
    this.#offload = offload;
    this.#stage = stage;
  }

  /**
   * Loads an adapter (GGUF) and binds a name to it; it does nothing until a turn, a mind or the default names it. Content
   * that is loaded already is not loaded again. Rejects with `BadArgument`, `NotAGene`, `GeneTruncated`, `GeneUnfit`,
   * `GeneNameTaken` or `GeneInUse`; nothing is loaded then.
   */
  async load(path: string, options?: LoadGeneOptions): Promise<NamedGeneInfo> {
    const file = resolve(checkText(path, 'path'));
    const given = checkFields<LoadGeneOptions>(options, 'options', ['name', 'replace']);
    const name = checkGeneName(given.name ?? basename(file, '.gguf'), 'options.name');
    const replace = checkFlag(given.replace, 'options.replace');
    return this.#inTurn(async () => {
      const { model } = this.#stage().mindArgs;
      const loaded = await this.#run<GeneInfo>('load', { model, path: file } satisfies GeneFile);
      const gene = { ...loaded, name, path: file };
      try {
        await this.#unload(await this.#ask<Bound>({ type: 'bind', gene, replace }));
      } catch (error) {
        const kept = await this.#ask<NamedGeneInfo[]>({ type: 'list' });
        if (!kept.some(({ id }) => id === gene.id)) await this.#unload({ orphans: [gene.id] });
        throw error;
      }
      return gene;
    });
  }

  /**
   * Frees the name, and the gene if it has no other. What minds have computed under it is not used again. Rejects with
   * `NoSuchGene`, or `GeneInUse` while a turn runs it or it is active by default.
   */
  async unload(name: string): Promise<void> {
    const checked = checkGeneName(name, 'name');
    await this.#inTurn(async () => this.#unload(await this.#ask<Bound>({ type: 'unbind', name: checked })));
  }

  async list(): Promise<NamedGeneInfo[]> {
    return this.#ask({ type: 'list' });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #unload({ orphans }: Bound): Promise<void> {
    for (const gene of orphans) await this.#free(gene);
  }

  /** The run of a turn whose mind was lost holds its genes until the engine has ended it. Rejects with GeneInUse. */
  async #free(gene: number): Promise<void> {
    const { system, mindArgs } = this.#stage();
    const { clock } = system.main;
    const until = clock.now() + FREE_MS;
    for (let waitMs = FREE_FIRST_MS; ; waitMs = Math.min(2 * waitMs, FREE_MOST_MS)) {
      try {
        return await this.#run('unload', { model: mindArgs.model, gene } satisfies UnloadGene);
      } catch (error) {
        if (!(error instanceof GeneInUse) || clock.now() >= until) throw error;
      }
      await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    }
  }

  #run<T>(what: 'load' | 'unload', input: GeneFile | UnloadGene): Promise<T> {
    return this.#offload.run<T>(moduleUrl('./jobs/genes.js'), { what, ...input }, LOAD_MS);
  }

  async #ask<T>(message: ResidencyMessage): Promise<T> {
    const { system, mindArgs } = this.#stage();
    return system.ask<T>(mindArgs.residency, message);
  }
}

function checkGeneName(value: unknown, argument: string): string {
  const name = typeof value === 'string' ? value : '';
  if (name.length >= 1 && name.length <= MAX_NAME_CHARACTERS && !name.includes('\n')) return name;
  const expected = `1 to ${MAX_NAME_CHARACTERS} characters without a line break`;
  throw new BadArgument({ argument, value, expected });
}

/** What a turn may be told to run. */
export function checkGenes(value: unknown, argument: string): readonly NamedGene[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MAX_GENES) {
    const expected = `an array of at most ${MAX_GENES} genes, as [{ gene: 'name', scale: 1 }]`;
    throw new BadArgument({ argument, value, expected });
  }
  const names = new Set<string>();
  return value.map((each, i) => {
    const where = `${argument}[${i}]`;
    const { gene, scale } = checkFields<NamedGene>(each ?? null, where, ['gene', 'scale']);
    const name = checkGeneName(gene, `${where}.gene`);
    if (names.has(name))
      throw new BadArgument({ argument: `${where}.gene`, value: name, expected: 'each gene once' });
    names.add(name);
    if (typeof scale !== 'number' || !(Math.abs(scale) <= MAX_SCALE)) {
      const expected = `a number from -${MAX_SCALE} to ${MAX_SCALE}`;
      throw new BadArgument({ argument: `${where}.scale`, value: scale, expected });
    }
    return { gene: name, scale };
  });
}
