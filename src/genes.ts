/**
 * Genes as a caller sees them: loaded from files under names, listed, moved and unloaded; and the check of what a turn may
 * run. All of it is the residency's work.
 */
import { basename, resolve } from 'node:path';
import type {
  GeneMove,
  GeneStats,
  NamedGene,
  NamedGeneInfo,
  ResidencyMessage,
  ResidencyQuestion,
} from './actors/residency/protocol.js';
import { checkFields, checkFlag, checkText } from './check.js';
import { BadArgument } from './errors.js';
import { Band } from './runtime/message.js';
import type { Stage } from './stage.js';

/** Longest list of genes of one turn: far more than mean anything together. */
const MAX_GENES = 64;
const MAX_NAME_CHARACTERS = 256;
/** Scales beyond it overflow. */
const MAX_SCALE = 1e6;
/** Reading a large file from a slow disk takes minutes, and others may be read before it. */
const ASK_MS = 600_000;

export interface LoadGeneOptions {
  /** What turns call it; default: the file's name without `.gguf`. */
  readonly name?: string;
  /** Takes the place of another gene of that name; refused `GeneInUse` while a turn runs it. */
  readonly replace?: boolean;
  /**
   * An optimizer is changing it: it is neither unloaded, replaced nor moved (`GeneInUse`) until it is loaded again without
   * this.
   */
  readonly learning?: boolean;
}

export class Genes {
  readonly #stage: () => Stage;

  /** For `Troupe`. */
  constructor(stage: () => Stage) {
    this.#stage = stage;
  }

  /**
   * Loads an adapter (GGUF) and binds a name to it; it does nothing until a turn, a mind or the default names it. Content
   * that is loaded already is not loaded again. Rejects with `BadArgument`, `NotAGene`, `GeneTruncated`, `GeneUnfit`,
   * `GeneNameTaken` or `GeneInUse`; nothing is loaded then.
   */
  async load(path: string, options?: LoadGeneOptions): Promise<NamedGeneInfo> {
    const file = resolve(checkText(path, 'path'));
    const given = checkFields<LoadGeneOptions>(options, 'options', ['name', 'replace', 'learning']);
    const name = checkGeneName(given.name ?? basename(file, '.gguf'), 'options.name');
    const replace = checkFlag(given.replace, 'options.replace');
    const learning = checkFlag(given.learning, 'options.learning');
    return this.#ask({ type: 'load', path: file, name, replace, learning });
  }

  /**
   * Frees the name, and the gene if it has no other. What minds have computed under it is not used again. Rejects with
   * `NoSuchGene`, or `GeneInUse` while a turn runs it or it is active by default.
   */
  async unload(name: string): Promise<void> {
    await this.#ask({ type: 'unload', name: checkGeneName(name, 'name') });
  }

  /**
   * Moves a gene out of the lanes' reach, to the host, or where that is full to disk; a turn that names it has it moved
   * back. Rejects with `NoSuchGene`, `GeneInUse` as `unload`, or, if only its file could keep it and is another one now,
   * `GeneChanged`.
   */
  async pageOut(name: string): Promise<GeneMove> {
    return this.#ask({ type: 'page-out', name: checkGeneName(name, 'name') });
  }

  /**
   * Moves a gene to where lanes run it, so that no turn has to wait for that; the coldest one makes room.
   * Rejects with `NoSuchGene`, `GeneSlotsFull` while turns hold all slots, or `GeneChanged`.
   */
  async pageIn(name: string): Promise<GeneMove> {
    return this.#ask({ type: 'page-in', name: checkGeneName(name, 'name') });
  }

  /** Every name, with its gene and where that is. */
  async list(): Promise<NamedGeneInfo[]> {
    return this.#question({ type: 'list' });
  }

  /** Where genes are, in numbers, and what has been moved so far. */
  async stats(): Promise<GeneStats> {
    return this.#question({ type: 'stats' });
  }

  #ask<T>(message: ResidencyMessage): Promise<T> {
    const { system, residency } = this.#stage();
    return system.ask<T>(residency, message, { deadlineMs: ASK_MS });
  }

  #question<T>(message: ResidencyQuestion): Promise<T> {
    const { system, residency } = this.#stage();
    return system.ask<T>(residency, message, { band: Band.control });
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
