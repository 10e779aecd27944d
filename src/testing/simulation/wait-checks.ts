/**
 * Waits (R5): each says why and until when, somebody who is there can end it, and it ends by its deadline.
 */
import type { ActorId } from '../../runtime/address.js';
import type { Thread } from '../../runtime/thread.js';
import type { Wait } from '../../runtime/waits.js';
import type { Violations } from './violations.js';

/** Longer than a thread is away that is lost, or freezes, and than its actors then take to start. */
const AWAY_MS = 10_000;

export class WaitChecks {
  readonly #violations: Violations;
  /** Since when nobody is there who could end them. */
  readonly #orphans = new WeakMap<Wait, number>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  step(thread: Thread, alive: (id: ActorId) => boolean): void {
    const { now } = thread;
    for (const { held, name } of thread.cells()) {
      if (held === undefined || held.waits.isEmpty) continue;
      for (const wait of held.waits) {
        const wrong = this.#wrong(wait, now, alive);
        if (wrong !== undefined) this.#violations.add('every wait can end', `${name} waits: ${wrong}`);
      }
    }
  }

  #wrong(wait: Wait, now: number, alive: (id: ActorId) => boolean): string | undefined {
    const { reason, deadline, on } = wait;
    if (reason === '') return 'it does not say why';
    if (!Number.isFinite(deadline)) return `${reason}, and for ever`;
    if (now > deadline + AWAY_MS) return `${reason}, and its deadline was ${now - deadline} ms ago`;
    if (alive(on)) this.#orphans.delete(wait);
    else if (!this.#orphans.has(wait)) this.#orphans.set(wait, now);
    const since = this.#orphans.get(wait) ?? now;
    return now - since > AWAY_MS ? `${reason}, and actor ${on}, who could end it, is not there` : undefined;
  }
}
