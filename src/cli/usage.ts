/**
 * What the command line takes as numbers, and how it answers what it does not take.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { TroupeError } from '../errors.js';

/** Exit codes: a wrong command, option or value; anything else that failed. */
export const EXIT_USAGE = 2;
export const EXIT_FAILED = 1;

/** Errors that say that what was asked for is wrong, not that something broke. */
const USAGE_ERRORS: ReadonlySet<string> = new Set([
  'BadArgument',
  'ContextFull',
  'ModelNotFound',
  'NotAModel',
  'ModelTruncated',
  'ModelUnsupported',
  'ModelTooLarge',
  'NoSuchActor',
  'ManyTroupes',
]);

/** The data folder, where commands that look at a troupe find it. */
export const DIR = ['--dir <folder>', 'data folder of the troupe (default: one of the user)'] as const;

/** A parser of whole numbers within bounds, for commander. */
export const wholeNumber =
  (least: number, most: number) =>
  (given: string): number => {
    const value = Number(given);
    if (given.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** A parser of process numbers, for commander; a further troupe of a process has `-2` and so on behind it. */
export function processNumber(given: string): string {
  if (/^\d+(-\d+)?$/.test(given)) return given;
  throw new InvalidArgumentError("It must be a process's number.");
}

/** Commander's answers as one line each on stderr, with the right name where one is near. */
export function inOneLine(program: Command): Command {
  return program.configureOutput({
    outputError: (message, write) =>
      write(
        `troupe: ${message
          .replace(/^error: /, '')
          .trim()
          .replace(/\s*\n\s*/g, ' ')}\n`,
      ),
  });
}

/** Says what went wrong in one line; answers the exit code. */
export function explain(error: unknown): number {
  if (!(error instanceof TroupeError)) throw error;
  process.stderr.write(`troupe: ${error.message}\n`);
  return USAGE_ERRORS.has(error.code) ? EXIT_USAGE : EXIT_FAILED;
}
