/**
 * What the broker says to minds, each on the band that their protocol wants.
 */

import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { type ErrorEnvelope, toEnvelope } from '../../runtime/errors.js';
import { Band } from '../../runtime/message.js';
import type { LeftIn } from '../engine/protocol.js';
import type { BrokerToMind, QueueReason } from './protocol.js';
import type { Request } from './turn-book.js';

type Granted = BrokerToMind & { readonly type: 'granted' };

export class BrokerPost {
  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  granted({ mind, ticket, grant }: Request, what: Omit<Granted, 'type' | 'ticket' | 'grant'>): void {
    this.#tell(mind, { type: 'granted', ticket, grant, ...what });
  }

  reclaim({ mind, ticket }: Request, deadlineMs: number, leftIn: LeftIn): void {
    this.#tell(mind, { type: 'reclaim', ticket, deadlineMs, leftIn });
  }

  /** Said once a reason. `on`: who can end the wait, if not the broker. */
  queued(request: Request, reason: QueueReason, on?: ActorId): void {
    if (request.reason === reason) return;
    request.reason = reason;
    const { mind, ticket } = request;
    this.#tell(mind, { type: 'queued', ticket, reason, on });
  }

  confirm(mind: ActorId, question: number, tickets: readonly number[]): void {
    this.#tell(mind, { type: 'confirm', question, tickets });
  }

  refused({ mind, ticket }: Request, error: unknown): void {
    this.#tell(mind, { type: 'refused', ticket, error: toEnvelope(error) });
  }

  revoked({ mind, ticket }: Request, error: ErrorEnvelope): void {
    this.#tell(mind, { type: 'revoked', ticket, error });
  }

  restarted(mind: ActorId, error: ErrorEnvelope): void {
    this.#tell(mind, { type: 'restarted', error });
  }

  #tell(mind: ActorId, message: BrokerToMind): void {
    this.#ctx.tell(mind, message, { band: Band.reserved });
  }
}
