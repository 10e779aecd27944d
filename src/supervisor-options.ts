/**
 * Options of a supervisor, and their check: the tree of supervisors and actors below it as the runtime starts it.
 */
import { checkActorName, checkChild, checkThread, type PlacedOptions } from './actor-options.js';
import { checkFields, checkFlag, checkOneOf } from './check.js';
import { BadArgument } from './errors.js';
import type { SpawnOptions } from './runtime/actor.js';
import { ACTOR_START_MS, CHILDREN, RESTARTS } from './runtime/defaults.js';
import { STRATEGIES, type Strategy } from './runtime/strategy.js';
import { type Backoff, checkBackoff, checkPolicy, type Intensity } from './runtime/supervision.js';
import type { SupervisorArgs } from './runtime/supervision-protocol.js';
import { SUPERVISOR } from './runtime/well-known.js';

/** An actor below a supervisor, which decides what follows its crashes. */
export interface ChildOptions<Args = unknown> extends PlacedOptions<Args> {
  readonly name: string;
  /** URL of the module whose default export is its definition. */
  readonly module: string | URL;
}

export interface SupervisionOptions {
  /** Who starts again with a child that crashed; default `one-for-one`: it alone. */
  readonly strategy?: Strategy;
  /** In the order in which they start; they stop in the reverse one. */
  readonly children?: readonly (ChildOptions | ChildSupervisorOptions)[];
  /** Of the crashes of all children together, with one more it gives up; default 5 in 10 s. */
  readonly intensity?: Intensity;
  /** Waits before a restart; default 10 ms at first, at most 5 s, half of it left to chance. */
  readonly backoff?: Backoff;
  /** The thread that it lives on itself. */
  readonly thread?: number;
}

/** A supervisor below another: what it cannot mend is for the one above it. */
export interface ChildSupervisorOptions extends SupervisionOptions {
  readonly name: string;
  readonly children: NonNullable<SupervisionOptions['children']>;
}

export interface SupervisorOptions extends SupervisionOptions {
  /** The troupe cannot do without it: when it gives up everything fails with `Escalated`. */
  readonly vital?: boolean;
}

const FIELDS = ['strategy', 'children', 'intensity', 'backoff', 'thread'] as const;
/** Supervisors one below the other: more than any tree needs, and few enough to walk. */
const DEEPEST = 16;

/** Throws `BadArgument`. */
export function checkSupervisor(name: unknown, options: unknown): SpawnOptions {
  const given = checkFields<SupervisorOptions>(options, 'options', [...FIELDS, 'vital']);
  const spawn = checkTree(checkActorName(name, 'name'), given, 'options', 1);
  return { ...spawn, vital: checkFlag(given.vital, 'options.vital') };
}

function checkTree(name: string, given: SupervisionOptions, where: string, depth: number): SpawnOptions {
  const { strategy, children = [], intensity = RESTARTS, backoff, thread } = given;
  if (!Array.isArray(children) || children.length > CHILDREN) {
    const expected = `an array of actors and supervisors, ${CHILDREN} at most`;
    throw new BadArgument({ argument: `${where}.children`, value: children, expected });
  }
  if (depth > DEEPEST) {
    const expected = `no more than ${DEEPEST} supervisors one below the other`;
    throw new BadArgument({ argument: where, value: name, expected });
  }
  const waits = backoff === undefined ? undefined : checkBackoff(`${where}.backoff`, backoff);
  const unfit = checkPolicy(`${where}.intensity`, intensity) ?? waits;
  if (unfit !== undefined) throw unfit;
  const spawns = children.map((child, i) => checkBelow(child, `${where}.children[${i}]`, depth));
  const args: SupervisorArgs = {
    strategy: checkOneOf(strategy, `${where}.strategy`, STRATEGIES, 'one-for-one'),
    children: spawns,
    intensity,
    ...(backoff === undefined ? {} : { backoff }),
  };
  // It has started when all its children have, one after the other.
  const startMs = spawns.reduce((sum, child) => sum + (child.startMs ?? ACTOR_START_MS), ACTOR_START_MS);
  return { name, module: SUPERVISOR, args, startMs, ...checkThread(thread, `${where}.thread`) };
}

/** One with `children` is a supervisor. */
function checkBelow(child: unknown, where: string, depth: number): SpawnOptions {
  if (typeof child !== 'object' || child === null) {
    throw new BadArgument({
      argument: where,
      value: child,
      expected: 'an object { name, module } or { name, children }',
    });
  }
  if (!('children' in child)) return checkChild(child, where);
  const given = checkFields<ChildSupervisorOptions>(child, where, ['name', ...FIELDS]);
  return checkTree(checkActorName(given.name, `${where}.name`), given, where, depth + 1);
}
