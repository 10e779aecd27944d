/**
 * Why actors ended, as the directory tells those who hold them from outside of every actor: of one that lives once it has
 * ended, of one that ended a short while ago at once.
 */
import type { Reply } from './actor.js';
import type { ActorId } from './address.js';
import { ENDS_KEPT } from './defaults.js';

const FORGOTTEN = 'no actor lives at this address';

export class Ends {
  /** Those who wait for the end of an actor. */
  readonly #waiting = new Map<ActorId, Reply[]>();
  /** Reasons of the last ends, the oldest first. */
  readonly #reasons = new Map<ActorId, string>();

  /** Answers with the reason, now or later. */
  tell(id: ActorId, lives: boolean, reply: Reply): void {
    const waiting = this.#waiting.get(id);
    if (!lives) reply.resolve(this.#reasons.get(id) ?? FORGOTTEN);
    else if (waiting === undefined) this.#waiting.set(id, [reply]);
    else waiting.push(reply);
  }

  ended(id: ActorId, reason: string): void {
    const [oldest] = this.#reasons.keys();
    if (!this.#reasons.has(id)) this.#reasons.set(id, reason);
    if (oldest !== undefined && this.#reasons.size > ENDS_KEPT) this.#reasons.delete(oldest);
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const reply of waiting) reply.resolve(reason);
  }
}
