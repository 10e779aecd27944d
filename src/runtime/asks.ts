/**
 * The asks of one thread that wait for an answer. Each settles exactly once: answer, error, deadline, abort, or the
 * loss of the thread that was asked.
 */
import { type ActorId, threadOf } from './address.js';
import type { Deadline, Deadlines } from './deadlines.js';
import { Aborted, AskTimeout, ThreadLost, type TroupeError } from './errors.js';

interface Pending {
  readonly to: ActorId;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: Deadline;
  readonly unsubscribe: (() => void) | undefined;
}

export interface AskRequest {
  readonly to: ActorId;
  /** The receiver and the message as a reader knows them. */
  readonly toName: string;
  readonly messageType: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

export class Asks {
  readonly #deadlines: Deadlines;
  readonly #pending = new Map<number, Pending>();
  #last = 0;

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Opens an ask; `settled` runs once, before the promise's own reactions. */
  open(request: AskRequest, settled: () => void): { number: number; answer: Promise<unknown> } {
    const number = ++this.#last;
    const { signal } = request;
    const answer = new Promise<unknown>((resolve, reject) => {
      const onAbort = (): void => this.fail(number, new Aborted({ what: `the ask ${request.messageType}` }));
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(number, {
        to: request.to,
        resolve: (value) => {
          settled();
          resolve(value);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        deadline: this.#deadlines.add(request.deadlineMs, () =>
          this.fail(
            number,
            new AskTimeout({
              actor: request.toName,
              message: request.messageType,
              waitedMs: request.deadlineMs,
            }),
          ),
        ),
        unsubscribe: signal ? () => signal.removeEventListener('abort', onAbort) : undefined,
      });
    });
    if (signal?.aborted) this.fail(number, new Aborted({ what: `the ask ${request.messageType}` }));
    return { number, answer };
  }

  resolve(number: number, value: unknown): void {
    this.#close(number)?.resolve(value);
  }

  fail(number: number, error: unknown): void {
    this.#close(number)?.reject(error);
  }

  /** Fails every ask to a thread that is gone. */
  loseThread(thread: number, name: string, reason: string): void {
    for (const [number, pending] of this.#pending) {
      if (threadOf(pending.to) === thread) this.fail(number, new ThreadLost({ thread: name, reason }));
    }
  }

  failAll(error: TroupeError): void {
    for (const number of [...this.#pending.keys()]) this.fail(number, error);
  }

  #close(number: number): Pending | undefined {
    const pending = this.#pending.get(number);
    if (pending === undefined) return undefined;
    this.#pending.delete(number);
    this.#deadlines.drop(pending.deadline);
    pending.unsubscribe?.();
    return pending;
  }
}
