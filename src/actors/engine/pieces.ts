/**
 * The pieces of one step on their way out: one message a reader, however many of its turns grew.
 *
 * They go to the reader straight, not by way of the mind: each hop wakes a thread whose caches a step of a large model
 * has emptied, and the mind needs the reply only when it is whole.
 */
import type { Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { Band } from '../../runtime/message.js';
import type { Lane, RunOnLane } from './lane.js';
import type { Pieces } from './protocol.js';

interface Parcel {
  readonly turns: number[];
  readonly grants: number[];
  readonly texts: string[];
  readonly from: number[];
  readonly tokens: number[];
  readonly counts: number[];
}

export class PieceMail {
  readonly #ctx: Context;
  readonly #parcels = new Map<ActorId, Parcel>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** A piece of the run on a lane, if there is one to send. */
  add(lane: Lane, text: string | undefined): void {
    if (text === undefined) return;
    const run = lane.run as RunOnLane;
    const { reader, turn } = run.request;
    let parcel = this.#parcels.get(reader);
    if (parcel === undefined) {
      parcel = { turns: [], grants: [], texts: [], from: [], tokens: [], counts: [] };
      this.#parcels.set(reader, parcel);
    }
    parcel.turns.push(turn);
    parcel.grants.push(run.grant);
    parcel.texts.push(text);
    parcel.from.push(run.text.length - run.window.unsent - text.length);
    const grown = lane.tokens.length - run.replyAt;
    for (let i = run.carried; i < grown; i++) parcel.tokens.push(lane.tokens[run.replyAt + i] as number);
    parcel.counts.push(grown - run.carried);
    run.carried = grown;
  }

  send(): void {
    for (const [reader, parcel] of this.#parcels) {
      const pieces = { type: 'pieces' as const, ...parcel } satisfies Pieces;
      this.#ctx.tell(reader, pieces, { band: Band.reserved });
    }
    this.#parcels.clear();
  }
}
