/**
 * Faults that any system of actors can meet. Each comes when so many messages have been handled.
 */
import type { Random } from '../random.js';

export type SystemFault =
  /** The handler of a message throws, before or after what it would have done. */
  | { readonly kind: 'crash'; readonly at: number; readonly when: 'before' | 'after' }
  /** A thread is lost with its actors, and started again. */
  | { readonly kind: 'lose'; readonly at: number; readonly thread: number }
  /** Batches take longer on all lines, each by another time up to `delayMs`. */
  | { readonly kind: 'slow'; readonly at: number; readonly forMs: number; readonly delayMs: number };

export function drawFault(random: Random, messages: number, threads: readonly number[]): SystemFault {
  const at = random.between(1, messages);
  switch (random.below(4)) {
    case 0:
      return { kind: 'slow', at, forMs: random.between(1, 400), delayMs: random.between(1, 80) };
    case 1:
      if (threads.length > 0) return { kind: 'lose', at, thread: random.pick(threads) };
      return { kind: 'crash', at, when: 'before' };
    default:
      return { kind: 'crash', at, when: random.oneIn(2) ? 'before' : 'after' };
  }
}

export function describeFault(fault: SystemFault): string {
  switch (fault.kind) {
    case 'crash':
      return `message ${fault.at}: its handler throws ${fault.when} it has done its work`;
    case 'lose':
      return `message ${fault.at}: thread ${fault.thread} is lost`;
    case 'slow':
      return `message ${fault.at}: for ${fault.forMs} ms, batches take up to ${fault.delayMs} ms`;
  }
}
