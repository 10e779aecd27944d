/**
 * What fails outside of every handler on a worker thread: a promise that rejects unheard, a timer's callback that
 * throws. Code of an actor crashes that actor alone. Code of nobody ends the thread if it throws, as it would any
 * program, and is only told of if it rejects.
 */
import type { Attribution } from './attribution.js';
import { asTroupeError } from './errors.js';
import type { Probe } from './probes.js';

/** Names of the process's events, and what their strays are called. */
const KINDS = { unhandledRejection: 'a promise that nobody heard', uncaughtException: 'a callback' } as const;

export function catchStrays(thread: string, attribution: Attribution, report: (probe: Probe) => void): void {
  const told = (cause: unknown, what: string): boolean => {
    const context = attribution.current;
    const { code, message } = asTroupeError(cause);
    report({ name: 'thread.stray', thread, actor: context?.name, what, error: `${code}: ${message}` });
    context?.stray(cause, what);
    return context !== undefined;
  };
  process.on('unhandledRejection', (cause) => void told(cause, KINDS.unhandledRejection));
  const onException = (cause: unknown): void => {
    if (!told(cause, KINDS.uncaughtException)) die(cause);
  };
  /** Throws once more, with nobody there to catch it. */
  const die = (cause: unknown): void => {
    process.off('uncaughtException', onException);
    setImmediate(() => {
      throw cause;
    });
  };
  process.on('uncaughtException', onException);
}
