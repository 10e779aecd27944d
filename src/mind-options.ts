/**
 * Options of a mind, its name, and their check.
 */
import { TURN_CLASSES, type TurnClass } from './actors/broker/protocol.js';
import { checkSampling, type Sampling } from './actors/engine/sampling.js';
import type { NamedGene } from './actors/residency/protocol.js';
import { checkFields, checkOneOf, checkText } from './check.js';
import { BadArgument } from './errors.js';
import { checkGenes } from './genes.js';
import { NAME_BYTES } from './runtime/defaults.js';

/** What a mind's actor is called before its name. */
const MIND = 'mind/';
const MAX_NAME_BYTES = NAME_BYTES - MIND.length;
const PREFIXES = ['own', 'base'] as const;

export interface MindOptions {
  /** The system prompt. */
  readonly system?: string;
  /** Sampling of turns that name none. */
  readonly sampling?: Sampling;
  /** Order among waiting turns; default `interactive`. */
  readonly class?: TurnClass;
  /** What its turns run; default: the troupe's; empty: the model as it is. */
  readonly genes?: readonly NamedGene[];
  /**
   * `base`: genes apply only after the system prompt, so that minds of any genes with the same system prompt share it;
   * `own`, the default: they apply from the first token, and only minds of the same genes share it.
   */
  readonly prefix?: (typeof PREFIXES)[number];
}

/** The name of a mind's actor. */
export function mindActorName(name: unknown): string {
  const bytes = typeof name === 'string' && !name.includes('\n') ? Buffer.byteLength(name) : 0;
  if (bytes >= 1 && bytes <= MAX_NAME_BYTES) return MIND + name;
  const expected = `a string of 1 to ${MAX_NAME_BYTES} bytes of UTF-8 without a line break`;
  throw new BadArgument({ argument: 'name', value: name, expected });
}

export interface CheckedMindOptions {
  readonly system: string;
  readonly sampling: Sampling;
  readonly class: TurnClass;
  /** undefined: the troupe's. */
  readonly genes: readonly NamedGene[] | undefined;
  readonly plainSystem: boolean;
}

export function checkMindOptions(options: unknown): CheckedMindOptions {
  const given = checkFields<MindOptions>(options, 'options', [
    'system',
    'sampling',
    'class',
    'genes',
    'prefix',
  ]);
  return {
    system: checkText(given.system, 'options.system', ''),
    sampling: checkSampling(given.sampling, 'options.sampling'),
    class: checkOneOf(given.class, 'options.class', TURN_CLASSES, 'interactive'),
    genes: checkGenes(given.genes, 'options.genes'),
    plainSystem: checkOneOf(given.prefix, 'options.prefix', PREFIXES, 'own') === 'base',
  };
}
