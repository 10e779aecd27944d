/**
 * Options of an actor of the user's own, its name and its module, and their check.
 */
import { checkFields, checkFlag, checkMs, checkText, checkWhole } from './check.js';
import { BadArgument } from './errors.js';
import type { SpawnOptions } from './runtime/actor.js';
import { checkPolicy, type RestartPolicy } from './runtime/supervision.js';

export interface PlacedOptions<Args = unknown> {
  /** Plain data, for its `start`. */
  readonly args?: Args;
  /** A thread's number, from `inspect()`; default: the host thread with the fewest actors. */
  readonly thread?: number;
  /** With nothing to do for so many milliseconds it vanishes until its next message; default: never. */
  readonly passivateAfter?: number;
}

export interface ActorOptions<Args = unknown> extends PlacedOptions<Args> {
  /** How often, and how soon, it starts again after a crash; default 5 times in 10 s, after 10 ms at first. */
  readonly restart?: RestartPolicy;
  /** The troupe cannot do without it: when it has crashed too often everything fails with `Escalated`. */
  readonly vital?: boolean;
}

const PLACED = ['args', 'thread', 'passivateAfter'] as const;
const MOST_THREADS = 255;

/** What the runtime's and the troupe's own actors are called that are in no directory. */
const TAKEN = ['directory', 'store', 'reader'];

/** Throws `BadArgument`. */
export function checkActor(name: unknown, module: unknown, options: unknown): SpawnOptions {
  const given = checkFields<ActorOptions>(options, 'options', [...PLACED, 'restart', 'vital']);
  const { restart } = given;
  const unfit = restart === undefined ? undefined : checkPolicy('options.restart', restart);
  if (unfit !== undefined) throw unfit;
  return {
    ...checkPlaced(given, 'options'),
    name: checkActorName(name, 'name'),
    module: checkModule(module, 'module'),
    vital: checkFlag(given.vital, 'options.vital'),
    ...(restart === undefined ? {} : { restart }),
  };
}

/** A child of a supervisor, which decides what follows its crashes. `where`: how its options are reached. */
export function checkChild(child: object, where: string): SpawnOptions {
  const fields = ['name', 'module', ...PLACED] as const;
  const given = checkFields<PlacedOptions & { name: unknown; module: unknown }>(child, where, fields);
  return {
    ...checkPlaced(given, where),
    name: checkActorName(given.name, `${where}.name`),
    module: checkModule(given.module, `${where}.module`),
  };
}

function checkPlaced(
  { args, thread, passivateAfter }: PlacedOptions,
  where: string,
): Pick<SpawnOptions, 'args' | 'passivateMs' | 'thread'> {
  const passivateMs = checkMs(passivateAfter, `${where}.passivateAfter`);
  return {
    args,
    ...checkThread(thread, `${where}.thread`),
    ...(passivateMs === undefined ? {} : { passivateMs }),
  };
}

export function checkThread(thread: unknown, argument: string): { readonly thread?: number } {
  const number = checkWhole(thread, argument, 0, MOST_THREADS);
  return number === undefined ? {} : { thread: number };
}

export function checkActorName(name: unknown, argument: string): string {
  const known = checkText(name, argument);
  if (known !== '' && !/[/\n]/.test(known) && !TAKEN.includes(known)) return known;
  const expected = `a string without / or a line break, and none of ${TAKEN.join(', ')}`;
  throw new BadArgument({ argument, value: name, expected });
}

function checkModule(module: unknown, argument: string): string {
  if (module instanceof URL) return module.href;
  if (typeof module === 'string' && URL.canParse(module)) return module;
  const expected = "a URL, such as new URL('./counter.js', import.meta.url)";
  throw new BadArgument({ argument, value: module, expected });
}
