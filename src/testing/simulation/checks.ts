/**
 * All checks of one simulated system, told of everything that the recorder, the lines and the loop see.
 */
import { type ActorId, threadOf } from '../../runtime/address.js';
import type { Change } from '../../runtime/holdings.js';
import type { Notice } from '../../runtime/message.js';
import type { Thread } from '../../runtime/thread.js';
import { AskChecks, type CheckClock } from './ask-checks.js';
import { LineChecks } from './line-checks.js';
import { MessageChecks, type Survivors } from './message-checks.js';
import type { Recorded, Sent } from './recorder.js';
import { StateChecks } from './state-checks.js';
import { ThreadChecks } from './thread-checks.js';
import type { Violations } from './violations.js';
import { WaitChecks } from './wait-checks.js';
import { WatchChecks } from './watch-checks.js';

export class Checks implements Recorded {
  readonly lines: LineChecks;
  readonly #messages: MessageChecks;
  readonly #asks: AskChecks;
  readonly #watches: WatchChecks;
  readonly #states: StateChecks;
  readonly #threads: ThreadChecks;
  readonly #waits: WaitChecks;
  /** Messages handled so far, and by whom. */
  messages = 0;
  readonly actors = new Set<ActorId>();

  constructor(violations: Violations, clock: CheckClock) {
    this.lines = new LineChecks(violations);
    this.#messages = new MessageChecks(violations);
    this.#asks = new AskChecks(violations, clock);
    this.#watches = new WatchChecks(violations);
    this.#states = new StateChecks(violations);
    this.#threads = new ThreadChecks(violations);
    this.#waits = new WaitChecks(violations);
  }

  started(actor: ActorId, saved: ReadonlyMap<string, unknown>): void {
    this.#states.started(actor, saved);
    this.#messages.started(actor);
  }

  sent(sent: Sent): void {
    this.#messages.sent(sent);
  }

  refused(number: number): void {
    this.#messages.refused(number);
  }

  handling(actor: ActorId, number: number | undefined, type: string, isUser: boolean): void {
    this.messages++;
    this.actors.add(actor);
    this.#messages.handling(actor, number, type, isUser);
  }

  handled(actor: ActorId): void {
    this.#messages.handled(actor);
  }

  crashed(actor: ActorId): void {
    this.#messages.handled(actor);
    this.#watches.crashed(actor);
  }

  saved(actor: ActorId, changes: readonly Change[]): void {
    this.#states.saved(actor, changes);
  }

  asked(number: number, from: ActorId, deadlineMs: number, type: string): void {
    this.#asks.asked(number, from, deadlineMs, type);
  }

  settled(number: number): void {
    this.#asks.settled(number);
  }

  watched(watcher: ActorId, id: ActorId): void {
    this.#watches.watched(watcher, id);
  }

  unwatched(watcher: ActorId, id: ActorId): void {
    this.#watches.unwatched(watcher, id);
  }

  noticed(actor: ActorId, notice: Notice): void {
    if (notice.type === 'ended') this.#watches.ended(actor, notice.id);
    else this.#messages.returned(actor, notice.to);
  }

  /** A thread is lost, and what its actors knew. */
  lost(thread: number): void {
    for (const actor of this.actors) if (threadOf(actor) === thread) this.#watches.crashed(actor);
  }

  step(thread: Thread, alive: (id: ActorId) => boolean): void {
    this.#threads.step(thread);
    this.#waits.step(thread, alive);
  }

  quiet(threads: readonly Thread[], survivors: Survivors): void {
    for (const thread of threads) this.#threads.quiet(thread);
    this.#messages.quiet(survivors);
    this.#asks.quiet(survivors);
    this.#watches.quiet(survivors);
    this.lines.quiet();
  }
}
