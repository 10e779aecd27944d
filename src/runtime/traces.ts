/**
 * The traces of messages that the main thread listens to: begun on every thread, also on one that is started again, and
 * limited in rate once more over all of them together.
 */
import { type ActorId, threadActor } from './address.js';
import type { Deadline } from './deadlines.js';
import { TRACE_BATCH_MS, TRACES } from './defaults.js';
import { TooManyTraces } from './errors.js';
import type { Mesh } from './mesh.js';
import { Band, type Message } from './message.js';
import {
  orderOf,
  type TraceBatch,
  type TracedEvent,
  type TraceOptions,
  type TraceOrder,
} from './trace-protocol.js';
import { MAIN_THREAD } from './well-known.js';

/** Told of what was seen, a batch at a time, and once that it is over. Must not throw. */
export interface TraceListener {
  seen(events: readonly TracedEvent[], leftOut: number): void;
  over(): void;
}

interface Running {
  readonly order: TraceOrder;
  readonly listener: TraceListener;
  readonly endsAt: number;
  readonly timer: Deadline;
  secondEnds: number;
  left: number;
}

/** After a trace has ended everywhere, what the threads have seen last has come within this, ms. */
const LAST_BATCH_MS = 2 * TRACE_BATCH_MS;

export class Traces {
  readonly #mesh: Mesh;
  readonly #running = new Map<number, Running>();
  #last = 0;

  constructor(mesh: Mesh) {
    this.#mesh = mesh;
    mesh.main.onTraced = (batch) => this.#take(batch);
  }

  /** Answers the function that ends it. Throws `BadArgument` or `TooManyTraces`. */
  begin(options: TraceOptions, listener: TraceListener): () => void {
    const order = orderOf(++this.#last, options);
    if (this.#running.size >= TRACES) throw new TooManyTraces({ traces: TRACES });
    const { main, places } = this.#mesh;
    const { trace, ms, aSecond } = order;
    this.#running.set(trace, {
      order,
      listener,
      endsAt: main.clock.now() + ms,
      timer: main.deadlines.call(ms + LAST_BATCH_MS, () => this.#end(trace)),
      secondEnds: 0,
      left: aSecond,
    });
    for (const { number, up } of places) if (up) this.#tell(number, { type: 'trace', order });
    return () => this.#stop(trace);
  }

  /** A thread was started again. */
  joined(thread: number): void {
    for (const { order, endsAt } of this.#running.values()) {
      const ms = endsAt - this.#mesh.main.clock.now();
      if (ms >= 1) this.#tell(thread, { type: 'trace', order: { ...order, ms } });
    }
  }

  endAll(): void {
    for (const trace of [...this.#running.keys()]) this.#end(trace);
  }

  #take({ trace, events, leftOut }: TraceBatch): void {
    const running = this.#running.get(trace);
    if (running === undefined) return;
    const now = this.#mesh.main.clock.now();
    if (now >= running.secondEnds) {
      running.secondEnds = now + 1_000;
      running.left = running.order.aSecond;
    }
    const shown = events.slice(0, running.left);
    running.left -= shown.length;
    running.listener.seen(shown, leftOut + events.length - shown.length);
  }

  #stop(trace: number): void {
    if (!this.#running.has(trace)) return;
    for (const { number, up } of this.#mesh.places) if (up) this.#tell(number, { type: 'untrace', trace });
    this.#end(trace);
  }

  #end(trace: number): void {
    const running = this.#running.get(trace);
    if (running === undefined) return;
    this.#running.delete(trace);
    this.#mesh.main.deadlines.drop(running.timer);
    running.listener.over();
  }

  #tell(thread: number, message: Message): void {
    const self: ActorId = threadActor(MAIN_THREAD);
    this.#mesh.main.router.tell(self, threadActor(thread), message, Band.reserved);
  }
}
