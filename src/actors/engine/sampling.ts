/**
 * The public sampling options: their defaults, their check, and how layers of them become one full set.
 */
import { BadArgument } from '../../errors.js';
import type { SamplerOptions } from '../../native/addon.js';
import { nearest } from '../../runtime/nearest.js';

/** How the next token is drawn. Whatever is left out comes from the mind, then from `SAMPLING_DEFAULTS`. */
export interface Sampling {
  /** Above 1 flatter, below 1 sharper; 0 = always the likeliest token. */
  readonly temperature?: number;
  /** Only so many of the likeliest tokens; 0 = all. */
  readonly topK?: number;
  /** Only the likeliest tokens that together have this probability; 1 = all. */
  readonly topP?: number;
  /** Only tokens at least this probable, relative to the likeliest; 0 = all. */
  readonly minP?: number;
  /** Divides the chance of tokens already in the reply; 1 = off. */
  readonly repeatPenalty?: number;
  /** How many of the tokens last produced the penalty sees; 0 = none, -1 = all. */
  readonly repeatLast?: number;
  /** The same options, seed and tokens give the same next token; left out, each turn draws a fresh one. */
  readonly seed?: number;
}

/** Those of llama.cpp's own command line, with a mild repeat penalty, which small models need. */
export const SAMPLING_DEFAULTS = {
  temperature: 0.8,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  repeatPenalty: 1.1,
  repeatLast: 64,
} as const satisfies Omit<Required<Sampling>, 'seed'>;

interface Rule {
  readonly expected: string;
  readonly holds: (value: number) => boolean;
}

const RULES: { readonly [Field in keyof Required<Sampling>]: Rule } = {
  temperature: { expected: 'a number from 0 to 100', holds: (v) => v >= 0 && v <= 100 },
  topK: { expected: 'a whole number, 0 or more', holds: (v) => Number.isInteger(v) && v >= 0 && v < 2 ** 31 },
  topP: { expected: 'a number above 0, at most 1', holds: (v) => v > 0 && v <= 1 },
  minP: { expected: 'a number from 0 to 1', holds: (v) => v >= 0 && v <= 1 },
  repeatPenalty: { expected: 'a number from 0.000001 to 100', holds: (v) => v >= 1e-6 && v <= 100 },
  repeatLast: {
    expected: 'a whole number, -1 or more',
    holds: (v) => Number.isInteger(v) && v >= -1 && v < 2 ** 31,
  },
  seed: {
    expected: 'a whole number from 0 to 4294967295',
    holds: (v) => Number.isInteger(v) && v >= 0 && v < 2 ** 32,
  },
};

/**
 * The checked options as a plain object of their own; fields that are undefined are left out.
 * Throws BadArgument, with `where` and the field as the argument's name.
 */
export function checkSampling(value: unknown, where: string): Sampling {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadArgument({ argument: where, value, expected: 'an object of sampling options' });
  }
  const checked: Record<string, number> = {};
  for (const [field, given] of Object.entries(value)) {
    const argument = `${where}.${field}`;
    if (!Object.hasOwn(RULES, field)) {
      const near = nearest(field, Object.keys(RULES));
      const expected = near === undefined ? `only ${Object.keys(RULES).join(', ')}` : `${near} in its place`;
      throw new BadArgument({ argument, value: given, expected });
    }
    if (given === undefined) continue;
    const rule = RULES[field as keyof Sampling];
    if (typeof given !== 'number' || !rule.holds(given)) {
      throw new BadArgument({ argument, value: given, expected: rule.expected });
    }
    checked[field] = given;
  }
  return checked;
}

/** One full set: the defaults, over them each layer in turn; `freshSeed` is used where no layer names a seed. */
export function resolveSampling(
  layers: readonly (Sampling | undefined)[],
  freshSeed: number,
): SamplerOptions {
  return Object.assign({ ...SAMPLING_DEFAULTS, seed: freshSeed }, ...layers);
}
