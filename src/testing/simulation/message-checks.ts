/**
 * Messages: in order between two actors within a band, none twice, none lost without a word, one user message at a time.
 */
import { type ActorId, threadOf } from '../../runtime/address.js';
import { BAND_NAMES, queueBand } from '../../runtime/message.js';
import type { Sent } from './recorder.js';
import type { Violations } from './violations.js';

/** What is known of the system when it is quiet. */
export interface Survivors {
  alive(id: ActorId): boolean;
  /** Whether the thread was ever lost. */
  wasLost(thread: number): boolean;
}

export class MessageChecks {
  readonly #violations: Violations;
  /** Sent and not yet handled. */
  readonly #open = new Map<number, Sent>();
  /** The latest number that came to an actor, by band and sender. */
  readonly #latest = new Map<ActorId, readonly Map<ActorId, number>[]>();
  readonly #busy = new Set<ActorId>();
  /** Actors whose handlers are seen; of others it is not known what they handle. */
  readonly #seen = new Set<ActorId>();
  /** Messages that came back, by sender and receiver. */
  readonly #returned = new Map<string, number>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  started(actor: ActorId): void {
    this.#seen.add(actor);
    this.#busy.delete(actor);
  }

  sent(sent: Sent): void {
    this.#open.set(sent.number, sent);
  }

  refused(number: number): void {
    this.#open.delete(number);
  }

  returned(sender: ActorId, to: ActorId): void {
    const key = `${sender} ${to}`;
    this.#returned.set(key, (this.#returned.get(key) ?? 0) + 1);
  }

  handling(actor: ActorId, number: number | undefined, type: string, isUser: boolean): void {
    if (isUser && this.#busy.has(actor)) {
      const what = `actor ${actor} was given ${type} while another handler of it had not ended`;
      this.#violations.add('one user message at a time', what);
    }
    if (isUser) this.#busy.add(actor);
    if (number !== undefined) this.#arrived(actor, number, type);
  }

  handled(actor: ActorId): void {
    this.#busy.delete(actor);
  }

  quiet({ alive, wasLost }: Survivors): void {
    const missing = new Map<string, number>();
    for (const { from, to, isAsk } of this.#open.values()) {
      if (
        isAsk ||
        !this.#seen.has(to) ||
        !alive(from) ||
        !alive(to) ||
        wasLost(threadOf(to)) ||
        wasLost(threadOf(from))
      )
        continue;
      const key = `${from} ${to}`;
      missing.set(key, (missing.get(key) ?? 0) + 1);
    }
    for (const [key, count] of missing) {
      const returned = this.#returned.get(key) ?? 0;
      if (count > returned) {
        const what = `${count} messages from and to ${key} were never handled, ${returned} came back`;
        this.#violations.add('no message is lost without a word', what);
      }
    }
  }

  #arrived(actor: ActorId, number: number, type: string): void {
    const sent = this.#open.get(number);
    if (sent === undefined) {
      this.#violations.add('no message twice', `${type} (number ${number}) came to actor ${actor} again`);
      return;
    }
    this.#open.delete(number);
    const band = this.#bands(actor)[queueBand(sent.band)] as Map<ActorId, number>;
    const latest = band.get(sent.from) ?? 0;
    if (number < latest) {
      const what = `${type} (number ${number}) came to actor ${actor} after number ${latest} of the same sender`;
      this.#violations.add('order between two actors', what);
    }
    band.set(sent.from, Math.max(latest, number));
  }

  #bands(actor: ActorId): readonly Map<ActorId, number>[] {
    let bands = this.#latest.get(actor);
    if (bands === undefined) {
      bands = BAND_NAMES.map(() => new Map());
      this.#latest.set(actor, bands);
    }
    return bands;
  }
}
