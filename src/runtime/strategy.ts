/**
 * What a supervisor does about a crash, decided on plain data: which children stop, which start, in which order and how
 * soon, or that it gives up.
 */
import { type CrashRecord, judgeRestart, type RestartPolicy } from './supervision.js';

/** Who starts again with a child that crashed: it alone, it and those started after it, or all. */
export type Strategy = 'one-for-one' | 'rest-for-one' | 'one-for-all';

export const STRATEGIES: readonly Strategy[] = ['one-for-one', 'rest-for-one', 'one-for-all'];

export interface ChildState {
  readonly name: string;
  readonly up: boolean;
}

export interface CrashOf<C extends ChildState> {
  /** In the order in which they were started. */
  readonly children: readonly C[];
  readonly crashed: C;
  /** Of the crashes of all children. */
  readonly record: CrashRecord;
  readonly now: number;
}

export interface Restart<C> {
  readonly type: 'restart';
  /** In the order in which they stop: the one that was started last goes first. */
  readonly stop: readonly C[];
  /** In the order in which they start, one after the other. */
  readonly start: readonly C[];
  readonly afterMs: number;
  readonly record: CrashRecord;
}

export type Plan<C> = Restart<C> | { readonly type: 'escalate' };

export function planRestart<C extends ChildState>(
  { children, crashed, record, now }: CrashOf<C>,
  strategy: Strategy,
  policy: RestartPolicy,
  random: () => number,
): Plan<C> {
  const verdict = judgeRestart(record, now, policy, random);
  if (!verdict.restart) return { type: 'escalate' };
  const affected = affectedBy(strategy, children, crashed);
  const stop = affected.filter((child) => child !== crashed && child.up).reverse();
  // Those that an earlier plan left down start at their place.
  const start =
    strategy === 'one-for-one' ? affected : children.filter((child) => affected.includes(child) || !child.up);
  return { type: 'restart', stop, start, afterMs: verdict.afterMs, record: verdict.record };
}

function affectedBy<C>(strategy: Strategy, children: readonly C[], crashed: C): readonly C[] {
  if (strategy === 'one-for-one') return [crashed];
  return strategy === 'one-for-all' ? children : children.slice(children.indexOf(crashed));
}
