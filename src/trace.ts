/**
 * A trace of messages as its caller holds it: an async iterable of events that ends by itself. What is not read in time is
 * left out and counted.
 */
import { checkFields, checkFlag, checkText, checkWhole } from './check.js';
import { BadArgument, NoSuchActor } from './errors.js';
import { DEFAULT_TRACE, MOST_TRACE } from './runtime/defaults.js';
import type { KnownAs } from './runtime/known-as.js';
import type { System } from './runtime/system.js';
import type { TraceOptions as Order, TracedEvent } from './runtime/trace-protocol.js';

export interface TraceOptions extends Omit<Order, 'actor'> {
  /** An actor's id, or its name: messages to it, and those that it sends. Default: of all. */
  readonly actor?: number | string;
}

/** Events kept for a reader that is slower than they come. */
const KEPT = 1_000;

export class Trace implements AsyncIterableIterator<TracedEvent> {
  readonly #kept: TracedEvent[] = [];
  readonly #stop: () => void;
  #leftOut = 0;
  #over = false;
  #wake: (() => void) | undefined;

  /** For `Troupe`; a caller gets traces from `troupe.trace()`. Throws `TooManyTraces`. */
  constructor(system: System, order: Order) {
    const rouse = (): void => {
      this.#wake?.();
      this.#wake = undefined;
    };
    this.#stop = system.trace(order, {
      seen: (events, leftOut) => {
        const room = KEPT - this.#kept.length;
        this.#kept.push(...events.slice(0, room));
        this.#leftOut += leftOut + Math.max(0, events.length - room);
        rouse();
      },
      over: () => {
        this.#over = true;
        rouse();
      },
    });
  }

  /** Events left out so far: beyond `aSecond`, or not read in time. */
  get leftOut(): number {
    return this.#leftOut;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<TracedEvent, undefined>> {
    for (;;) {
      const value = this.#kept.shift();
      if (value !== undefined) return { done: false, value };
      if (this.#over) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        const earlier = this.#wake;
        this.#wake = () => {
          earlier?.();
          resolve();
        };
      });
    }
  }

  /** Ends the trace, as breaking out of a loop over it does. */
  async return(): Promise<IteratorResult<TracedEvent, undefined>> {
    this.#stop();
    this.#kept.length = 0;
    return { done: true, value: undefined };
  }
}

/** Throws `BadArgument` or `NoSuchActor`. */
export function checkTraceOptions(options: unknown, known: () => KnownAs): Order {
  const fields = ['actor', 'type', 'ms', 'aSecond', 'preview'] as const;
  const given = checkFields<TraceOptions>(options, 'options', fields);
  const { actor, type } = given;
  return {
    ...(actor === undefined ? {} : { actor: addressOf(actor, known) }),
    ...(type === undefined ? {} : { type: checkText(type, 'options.type') }),
    ms: checkWhole(given.ms, 'options.ms', 1, MOST_TRACE.ms) ?? DEFAULT_TRACE.ms,
    aSecond: checkWhole(given.aSecond, 'options.aSecond', 1, MOST_TRACE.aSecond) ?? DEFAULT_TRACE.aSecond,
    preview: checkFlag(given.preview, 'options.preview'),
  };
}

function addressOf(actor: unknown, known: () => KnownAs): number {
  if (typeof actor === 'number' && Number.isSafeInteger(actor) && actor > 0) return actor;
  if (typeof actor !== 'string') {
    throw new BadArgument({
      argument: 'options.actor',
      value: actor,
      expected: "an actor's id, or its name",
    });
  }
  const names = known();
  const found = names.find(actor);
  if (found === undefined) throw new NoSuchActor({ name: actor, near: names.nearest(actor) });
  return found.id;
}
