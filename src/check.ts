/**
 * Checks of what callers hand in: each answers the value with its type, or throws a `BadArgument` that names the argument
 * and says what would be right.
 */
import { BadArgument } from './errors.js';
import { nearest } from './runtime/nearest.js';

/** Longest text of a message or system prompt: far more than any context holds. */
const MAX_TEXT_CHARACTERS = 16 * 2 ** 20;
/** Longest time that can be asked for, ms: 34 years. */
const MAX_MS = 2 ** 40;

/** An options object: refuses what is none, and any field that is not known, naming the nearest known one. */
export function checkFields<T extends object>(
  value: unknown,
  where: string,
  known: readonly (keyof T & string)[],
): Partial<T> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadArgument({ argument: where, value, expected: `an object with ${known.join(', ')}` });
  }
  for (const [key, given] of Object.entries(value)) {
    if ((known as readonly string[]).includes(key)) continue;
    const near = nearest(key, known);
    const expected = near === undefined ? `only ${known.join(', ')}` : `${near} in its place`;
    throw new BadArgument({ argument: `${where}.${key}`, value: given, expected });
  }
  return value;
}

/** A string; `missing` is what stands for undefined, if anything may. */
export function checkText(value: unknown, argument: string, missing?: string): string {
  if (value === undefined && missing !== undefined) return missing;
  if (typeof value !== 'string') throw new BadArgument({ argument, value, expected: 'a string' });
  if (value.length <= MAX_TEXT_CHARACTERS) return value;
  const expected = `at most ${MAX_TEXT_CHARACTERS} characters`;
  throw new BadArgument({ argument, value: `${value.length} characters`, expected });
}

export function checkWhole(
  value: unknown,
  argument: string,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new BadArgument({ argument, value, expected: `a whole number from ${least} to ${most}` });
}

export function checkMs(value: unknown, argument: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value > 0 && value <= MAX_MS) return value;
  throw new BadArgument({ argument, value, expected: 'milliseconds, more than 0' });
}

export function checkCallback<T>(value: unknown, argument: string): (given: T) => void {
  if (typeof value !== 'function') throw new BadArgument({ argument, value, expected: 'a function' });
  return value as (given: T) => void;
}

export function checkFlag(value: unknown, argument: string): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw new BadArgument({ argument, value, expected: 'true or false' });
  return value;
}

/** One of some words; `missing` is what stands for undefined. */
export function checkOneOf<T extends string>(
  value: unknown,
  argument: string,
  words: readonly T[],
  missing: T,
): T {
  const found = words.find((word) => word === (value ?? missing));
  if (found !== undefined) return found;
  throw new BadArgument({ argument, value, expected: words.join(', ') });
}

const MAX_ROOM_CHARACTERS = 256;

export function checkRoom(value: unknown, argument: string): string {
  const room = checkText(value, argument, 'main');
  if (room.length >= 1 && room.length <= MAX_ROOM_CHARACTERS && !room.includes('\n')) return room;
  const expected = `1 to ${MAX_ROOM_CHARACTERS} characters without a line break`;
  throw new BadArgument({ argument, value: room, expected });
}
