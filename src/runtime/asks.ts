/**
 * The asks of one thread that wait for an answer. Each settles exactly once: answer, error, deadline, abort, or the
 * loss of the thread that was asked.
 */
import { setMaxListeners } from 'node:events';
import { type ActorId, threadOf } from './address.js';
import { Deadline, type Deadlines } from './deadlines.js';
import { Aborted, AskTimeout, SystemStopped, ThreadLost, type TroupeError } from './errors.js';

/** Ask numbers of a later life of the thread begin above those of an earlier one: late answers find nobody. */
const ASKS_A_LIFE = 2 ** 40;

export interface AskRequest {
  readonly to: ActorId;
  readonly messageType: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  /** Ends when the ask settles, before its caller goes on. */
  readonly wait: { end(): void } | undefined;
}

/** An ask that waits; as a deadline it is its own time limit. */
export class Pending extends Deadline {
  /** Undefined once it has settled: its deadline stays on the heap for a while, and should not keep the answer. */
  answer: Promise<unknown> | undefined;
  #resolve: ((value: unknown) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #onAbort: (() => void) | undefined;

  constructor(
    readonly asks: Asks,
    readonly number: number,
    readonly request: AskRequest,
  ) {
    super();
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (request.signal !== undefined) this.#listen(request.signal);
  }

  override fire(): void {
    const { to, messageType, deadlineMs } = this.request;
    const actor = this.asks.nameOf(to);
    this.fail(new AskTimeout({ actor, message: messageType, waitedMs: deadlineMs }));
  }

  resolve(value: unknown): void {
    const resolve = this.#resolve;
    if (this.#close()) resolve?.(value);
  }

  fail(error: unknown): void {
    const reject = this.#reject;
    if (this.#close()) reject?.(error);
  }

  /** Fails an ask whose caller may no longer be there to hear it. */
  abandon(error: unknown): void {
    this.answer?.catch(() => {});
    this.fail(error);
  }

  #close(): boolean {
    if (!this.asks.close(this)) return false;
    this.answer = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
    this.request.wait?.end();
    if (this.#onAbort !== undefined) this.request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #listen(signal: AbortSignal): void {
    const onAbort = (): void => this.fail(new Aborted({ what: `the ask ${this.request.messageType}` }));
    this.#onAbort = onAbort;
    // One signal may end any number of asks.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', onAbort, { once: true });
  }
}

export class Asks {
  readonly #deadlines: Deadlines;
  readonly #pending = new Map<number, Pending>();
  /** How a reader knows an actor, for messages of errors. */
  readonly nameOf: (id: ActorId) => string;
  #last: number;
  #closed: TroupeError | undefined;

  constructor(deadlines: Deadlines, life: number, nameOf: (id: ActorId) => string) {
    this.#deadlines = deadlines;
    this.#last = life * ASKS_A_LIFE;
    this.nameOf = nameOf;
  }

  get size(): number {
    return this.#pending.size;
  }

  prepare(request: AskRequest): Pending {
    return new Pending(this, ++this.#last, request);
  }

  /** False: it has failed at once. `now`: ms since the epoch, as of this turn of the thread. */
  open(pending: Pending, now: number): boolean {
    const { request } = pending;
    this.#pending.set(pending.number, pending);
    if (this.#closed !== undefined) pending.fail(this.#closed);
    else if (request.signal?.aborted) pending.fail(new Aborted({ what: `the ask ${request.messageType}` }));
    else this.#deadlines.add(pending, request.deadlineMs, now);
    return pending.live;
  }

  resolve(number: number, value: unknown): void {
    this.#pending.get(number)?.resolve(value);
  }

  fail(number: number, error: unknown): void {
    this.#pending.get(number)?.fail(error);
  }

  /** Fails every ask to a thread that is gone. */
  loseThread(thread: number, name: string, reason: string): void {
    for (const pending of [...this.#pending.values()]) {
      if (threadOf(pending.request.to) === thread) pending.fail(new ThreadLost({ thread: name, reason }));
    }
  }

  failAll(error: TroupeError): void {
    for (const pending of [...this.#pending.values()]) pending.fail(error);
  }

  /** Nothing is asked any more. */
  stop(): void {
    const error = new SystemStopped({ what: 'an ask' });
    this.#closed = error;
    this.failAll(error);
  }

  /** False: it has settled before. */
  close(pending: Pending): boolean {
    if (!this.#pending.delete(pending.number)) return false;
    this.#deadlines.drop(pending);
    return true;
  }
}
