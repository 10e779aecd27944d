/**
 * How a holder of memory tells the broker what it holds: when that has changed, and many changes at once.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { Holds } from './leases.js';

/** Changes that come within it are told together. */
const TOGETHER_MS = 50;

export type LeaseMessage =
  /** To itself, and of the broker that heard of it from another: what is held may have changed. */
  | { readonly type: 'leases-changed' }
  /** The broker has forgotten what it was told. */
  | { readonly type: 'leases-again' };

export class LeaseNews {
  readonly #ctx: Context;
  readonly #broker: ActorId;
  readonly #measure: () => Omit<Holds, 'type'>;
  #waits = false;
  #last = '';

  constructor(ctx: Context, broker: ActorId, measure: () => Omit<Holds, 'type'>) {
    this.#ctx = ctx;
    this.#broker = broker;
    this.#measure = measure;
  }

  /** Something may have changed: it is told when `leases-changed` comes. */
  changed(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#ctx.after(TOGETHER_MS, { type: 'leases-changed' } satisfies LeaseMessage);
  }

  hear(message: LeaseMessage): void {
    if (message.type === 'leases-changed') this.tell();
    else this.again();
  }

  /** Tells what is held now, unless it was told last. */
  tell(): void {
    this.#waits = false;
    const holds: Holds = { type: 'holds', ...this.#measure() };
    const text = JSON.stringify(holds);
    if (text === this.#last) return;
    this.#last = text;
    this.#ctx.tell(this.#broker, { ...holds }, { band: Band.reserved });
  }

  /** Tells it also if it was told. */
  again(): void {
    this.#last = '';
    this.tell();
  }
}
