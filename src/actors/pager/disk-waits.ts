/**
 * What the pager waits for while a disk is busy with a page: whoever looks sees it as a wait of the pager's for itself. A job
 * that has not begun by its deadline, because another on the same page takes so long, or the folder to open, never begins.
 */
import { DeadlineExceeded } from '../../errors.js';
import type { Context } from '../../runtime/actor.js';
import type { PagerControl } from './protocol.js';

interface DiskWait {
  readonly reason: string;
  readonly deadlineMs: number;
  readonly late: AbortController;
}

export class DiskWaits {
  readonly #ctx: Context;
  readonly #waits = new Map<number, DiskWait>();
  #last = 0;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Settles as `work` does; `signal` aborts at the deadline. */
  async during<T>(reason: string, deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ctx = this.#ctx;
    const wait = ++this.#last;
    const late = new AbortController();
    this.#waits.set(wait, { reason, deadlineMs, late });
    const endWait = ctx.wait({ for: ctx.self, reason, deadlineMs });
    const takeBack = ctx.after(deadlineMs, { type: 'disk-late', wait } satisfies PagerControl);
    try {
      return await work(late.signal);
    } finally {
      this.#waits.delete(wait);
      takeBack();
      endWait();
    }
  }

  /** One is past its deadline. */
  late(wait: number): void {
    const { reason, deadlineMs, late } = this.#waits.get(wait) ?? {};
    late?.abort(new DeadlineExceeded({ what: reason ?? '', deadlineMs: deadlineMs ?? 0 }));
  }
}

/** Settles as `promise` does, or rejects with the reason of `signal`, whichever is first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp);
    promise.then(resolve, reject).then(() => signal.removeEventListener('abort', giveUp));
  });
}
