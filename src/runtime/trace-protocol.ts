/**
 * What a trace of messages is asked for with, what it shows, and how threads hand it over.
 */
import type { ActorId } from './address.js';
import { DEFAULT_TRACE, MOST_TRACE } from './defaults.js';
import { BadArgument } from './errors.js';
import type { BAND_NAMES } from './message.js';

export interface TraceOptions {
  /** Messages to this actor, and those that it sends; default: of all. */
  readonly actor?: ActorId;
  /** Messages of this type; default: of all. */
  readonly type?: string;
  /** How long it lasts, ms; default one minute, at most ten. */
  readonly ms?: number;
  /** Events in a second, of all threads together; the rest are counted. Default 200, at most 1,000. */
  readonly aSecond?: number;
  /** With the size and the shape of each message, texts redacted. */
  readonly preview?: boolean;
}

export interface TracedEvent {
  /**
   * `queued` in the mailbox, `taken` from it, its handler `done`, or `failed`: crashed, or answered with an error;
   * `refused` by a full mailbox; `dead`: a letter that reached nobody.
   */
  readonly event: 'queued' | 'taken' | 'done' | 'failed' | 'refused' | 'dead';
  /** Whole ms since the system's epoch, as of the turn of its thread. */
  readonly at: number;
  readonly actor: ActorId;
  readonly from: ActorId;
  readonly type: string;
  readonly band: (typeof BAND_NAMES)[number];
  /** Of `done` and `failed`: since it was taken, if that was traced. */
  readonly ms?: number;
  readonly reason?: string;
  readonly sizeBytes?: number;
  readonly preview?: string;
}

/** What a thread is told, with every option filled in. */
export interface TraceOrder extends Required<Omit<TraceOptions, 'actor' | 'type'>> {
  readonly trace: number;
  readonly actor: ActorId | undefined;
  readonly message: string | undefined;
}

export interface TraceBatch {
  readonly trace: number;
  readonly events: readonly TracedEvent[];
  /** Events beyond the allowance since the last batch. */
  readonly leftOut: number;
}

/** Throws `BadArgument`. */
export function orderOf(trace: number, options: TraceOptions): TraceOrder {
  const { actor, type, preview = false, ms = DEFAULT_TRACE.ms, aSecond = DEFAULT_TRACE.aSecond } = options;
  checkWithin('ms', ms, MOST_TRACE.ms);
  checkWithin('aSecond', aSecond, MOST_TRACE.aSecond);
  return { trace, actor, message: type, preview, ms, aSecond };
}

function checkWithin(argument: string, value: number, most: number): void {
  if (value >= 1 && value <= most) return;
  throw new BadArgument({ argument, value, expected: `1 to ${most}` });
}
