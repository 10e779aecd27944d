/**
 * What lies in one actor's mailbox, for those who look: bounded in messages, in work and in what it shows.
 */
import type { ActorId } from './address.js';
import type { Cell } from './cell.js';
import { PEEK_MESSAGES } from './defaults.js';
import { BAND_NAMES, type Envelope, queueBand } from './message.js';
import { previewOf, sizeOf } from './preview.js';

export interface PeekedMessage {
  readonly band: (typeof BAND_NAMES)[number];
  readonly type: string;
  readonly from: ActorId;
  readonly ageMs: number;
  /** Of its texts, numbers and buffers; of a message with very many values, of the first ones. */
  readonly sizeBytes: number;
  /** Only when asked for: the first characters, texts replaced by their length. */
  readonly preview?: string;
}

export interface PeekReport {
  readonly id: ActorId;
  readonly name: string;
  readonly inHand: PeekedMessage | undefined;
  readonly queued: readonly PeekedMessage[];
  /** Queued beyond those listed. */
  readonly more: number;
  /** Oldest first; no more than are listed of messages. */
  readonly waits: readonly {
    readonly reason: string;
    readonly forMs: number;
    readonly leftMs: number;
    readonly on: ActorId;
  }[];
}

export function peek(cell: Cell, preview: boolean): PeekReport {
  const { now } = cell.home;
  const queued: PeekedMessage[] = [];
  let more = 0;
  for (const envelope of cell) {
    if (queued.length < PEEK_MESSAGES) queued.push(describe(envelope, now, preview));
    else more++;
  }
  const waits = [...(cell.held?.waits ?? [])].slice(0, PEEK_MESSAGES);
  return {
    id: cell.id,
    name: cell.name,
    inHand: cell.inHand && describe(cell.inHand, now, preview),
    queued,
    more,
    waits: waits.map(({ reason, since, deadline, on }) => ({
      reason,
      forMs: now - since,
      leftMs: deadline - now,
      on,
    })),
  };
}

function describe({ band, type, message, from, at }: Envelope, now: number, preview: boolean): PeekedMessage {
  return {
    band: BAND_NAMES[queueBand(band)],
    type,
    from,
    ageMs: Math.max(0, now - at),
    sizeBytes: sizeOf(message),
    ...(preview ? { preview: previewOf(type, message) } : {}),
  };
}
