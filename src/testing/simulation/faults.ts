/**
 * Faults that any system of actors can meet. Each comes when so many messages have been handled.
 */
import type { Random } from '../random.js';

export type SystemFault =
  /** The handler of a message throws, before or after what it would have done. */
  | { readonly kind: 'crash'; readonly at: number; readonly when: 'before' | 'after' }
  /** A thread is lost with its actors, and started again. */
  | { readonly kind: 'lose'; readonly at: number; readonly thread: number }
  /** Nothing happens on a thread any more, until it is replaced. */
  | { readonly kind: 'freeze'; readonly at: number; readonly thread: number }
  /** Batches take longer on all lines, each by another time up to `delayMs`. */
  | { readonly kind: 'slow'; readonly at: number; readonly forMs: number; readonly delayMs: number };

export interface FaultyThreads {
  /** Threads that may be lost. */
  readonly lose: readonly number[];
  /** Threads that may freeze: of those that host actors. */
  readonly freeze: readonly number[];
}

export function drawFault(random: Random, messages: number, { lose, freeze }: FaultyThreads): SystemFault {
  const at = random.between(1, messages);
  switch (random.below(9)) {
    case 0:
    case 1:
      return { kind: 'slow', at, forMs: random.between(1, 400), delayMs: random.between(1, 80) };
    case 2:
    case 3:
      return { kind: 'lose', at, thread: random.pick(lose) };
    case 4:
      return { kind: 'freeze', at, thread: random.pick(freeze) };
    default:
      return { kind: 'crash', at, when: random.oneIn(2) ? 'before' : 'after' };
  }
}

/** A system ends when it has lost one thread more than so often. */
const MOST_LOSSES = 4;

/** The same faults, with crashes in place of so many losses of one thread that the system would end. */
export function spareThreads<F extends { readonly kind: string; readonly at: number }>(
  faults: readonly (F | SystemFault)[],
): (F | SystemFault)[] {
  const losses = new Map<number, number>();
  return faults.map((fault) => {
    if (fault.kind !== 'lose' && fault.kind !== 'freeze') return fault;
    const { at, thread } = fault as SystemFault & { readonly thread: number };
    const before = losses.get(thread) ?? 0;
    losses.set(thread, before + 1);
    return before < MOST_LOSSES ? fault : { kind: 'crash', at, when: 'before' };
  });
}

export function describeFault(fault: SystemFault): string {
  switch (fault.kind) {
    case 'crash':
      return `message ${fault.at}: its handler throws ${fault.when} it has done its work`;
    case 'lose':
      return `message ${fault.at}: thread ${fault.thread} is lost`;
    case 'freeze':
      return `message ${fault.at}: thread ${fault.thread} freezes`;
    case 'slow':
      return `message ${fault.at}: for ${fault.forMs} ms, batches take up to ${fault.delayMs} ms`;
  }
}
