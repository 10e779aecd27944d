/**
 * What is said between a supervisor, its children's threads and the directory, and what a supervisor is made of.
 */
import type { SpawnOptions } from './actor.js';
import type { ActorId } from './address.js';
import { CHILDREN, RESTARTS } from './defaults.js';
import { BadArgument } from './errors.js';
import { STRATEGIES, type Strategy } from './strategy.js';
import {
  type Backoff,
  checkBackoff,
  checkPolicy,
  type Intensity,
  type RestartPolicy,
} from './supervision.js';

export interface SupervisorArgs {
  readonly strategy: Strategy;
  /** In the order in which they start; they stop in the reverse one. */
  readonly children: readonly SpawnOptions[];
  /** Of the crashes of all children; with one more the supervisor gives up. */
  readonly intensity?: Intensity;
  readonly backoff?: Backoff;
}

export type SupervisorMessage =
  /** Starts one more child, the last in order; answers its address. */
  | { readonly type: 'start'; readonly options: SpawnOptions }
  /** Of a child's thread: it is down. Answers an order, or that one will come. */
  | { readonly type: 'down'; readonly child: ActorId; readonly reason: string; readonly crashed: boolean }
  /** Of a child's thread: it is ready for its order, or it has started. */
  | { readonly type: 'resume' | 'up'; readonly child: ActorId }
  /** Of the directory: a child has ended. `failed`: it should not have. */
  | { readonly type: 'gone'; readonly id: ActorId; readonly reason: string; readonly failed: boolean }
  /** Of its own supervisor, which will take it down: ends its children. */
  | { readonly type: 'halt' }
  /** To itself. */
  | { readonly type: 'overdue' | 'missing' }
  | { readonly type: 'spawn'; readonly name: string }
  | { readonly type: 'give-up'; readonly reason: string };

/** What becomes of an actor that is down. */
export type Order =
  | { readonly type: 'start'; readonly afterMs: number }
  | { readonly type: 'end'; readonly reason: string };

export function policyOf({ intensity = RESTARTS, backoff }: SupervisorArgs): RestartPolicy {
  return backoff === undefined ? intensity : { ...intensity, backoff };
}

/** Throws `BadArgument`. What is wrong with a child's options, its spawn says. */
export function checkSupervisor(args: SupervisorArgs): void {
  const { strategy, children, intensity = RESTARTS, backoff } = args;
  if (!STRATEGIES.includes(strategy)) {
    throw new BadArgument({ argument: 'strategy', value: strategy, expected: STRATEGIES.join(', ') });
  }
  if (!Array.isArray(children) || children.length > CHILDREN) {
    const expected = `an array of spawn options, ${CHILDREN} at most`;
    throw new BadArgument({ argument: 'children', value: children, expected });
  }
  const waits = backoff === undefined ? undefined : checkBackoff('backoff', backoff);
  const unfit = checkPolicy('intensity', intensity) ?? waits;
  if (unfit !== undefined) throw unfit;
}
