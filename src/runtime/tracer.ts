/**
 * The traces of messages that run on one thread; there is a tracer only while there are any. What is beyond a trace's
 * allowance costs two comparisons and a count: nothing is built before it is known to go out.
 */
import { type ActorId, slotOf, THREAD_SLOT, threadActor } from './address.js';
import type { Deadline } from './deadlines.js';
import { TRACE_BATCH_MS } from './defaults.js';
import { BAND_NAMES, Band, type Envelope, queueBand } from './message.js';
import { previewOf, sizeOf } from './preview.js';
import type { Thread } from './thread.js';
import type { TracedEvent, TraceOrder } from './trace-protocol.js';
import { MAIN_THREAD } from './well-known.js';

class Trace {
  readonly order: TraceOrder;
  readonly timers: Deadline[] = [];
  events: TracedEvent[] = [];
  leftOut = 0;
  #left = 0;
  secondEnds = Number.NEGATIVE_INFINITY;

  constructor(order: TraceOrder) {
    this.order = order;
  }

  get isOfAll(): boolean {
    return this.order.actor === undefined && this.order.message === undefined;
  }

  /** Whether an event may go out; one of these messages that may not is counted. */
  takes(to: ActorId, { from, type }: Envelope, now: number): boolean {
    const { actor, message: wanted, aSecond } = this.order;
    if (actor !== undefined && actor !== to && actor !== from) return false;
    if (wanted !== undefined && wanted !== type) return false;
    if (now >= this.secondEnds) {
      this.secondEnds = now + 1_000;
      this.#left = aSecond;
    }
    if (this.#left > 0) {
      this.#left--;
      return true;
    }
    this.leftOut++;
    return false;
  }
}

export class Tracer {
  readonly #thread: Thread;
  readonly #traces: Trace[] = [];
  /** When messages were taken, of those whose taking was traced. */
  readonly #taken = new WeakMap<Envelope, number>();

  /** Until then its only trace takes nothing more: what comes is counted, unseen. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  #quiet = { leftOut: 0 };

  private constructor(thread: Thread) {
    this.#thread = thread;
  }

  /** Begins a trace on a thread; it ends by itself. */
  static begin(thread: Thread, order: TraceOrder): void {
    thread.tracer ??= new Tracer(thread);
    thread.tracer.#begin(new Trace(order));
  }

  /** What happened to a message. The threads' own actors are not traced: they carry the traces. */
  note(event: TracedEvent['event'], to: ActorId, envelope: Envelope, reason?: string): void {
    const { stamp } = this.#thread;
    if (stamp < this.#quietUntil) {
      this.#quiet.leftOut++;
      return;
    }
    if (slotOf(to) === THREAD_SLOT) return;
    for (let i = 0; i < this.#traces.length; i++) {
      const trace = this.#traces[i] as Trace;
      if (trace.takes(to, envelope, stamp)) this.#tell(trace, event, to, envelope, stamp, reason);
      else if (this.#traces.length === 1 && trace.isOfAll) {
        this.#quiet = trace;
        this.#quietUntil = trace.secondEnds;
      }
    }
  }

  end(number: number): void {
    const at = this.#traces.findIndex(({ order }) => order.trace === number);
    const [trace] = at < 0 ? [] : this.#traces.splice(at, 1);
    if (trace === undefined) return;
    for (const timer of trace.timers) this.#thread.deadlines.drop(timer);
    this.#send(trace);
    this.#quietUntil = Number.NEGATIVE_INFINITY;
    if (this.#traces.length === 0) this.#thread.tracer = undefined;
  }

  #begin(trace: Trace): void {
    this.end(trace.order.trace);
    this.#thread.tracer = this;
    this.#traces.push(trace);
    this.#quietUntil = Number.NEGATIVE_INFINITY;
    const { deadlines } = this.#thread;
    const batches = (): void => {
      this.#send(trace);
      trace.timers[1] = deadlines.call(TRACE_BATCH_MS, batches);
    };
    trace.timers.push(
      deadlines.call(trace.order.ms, () => this.end(trace.order.trace)),
      deadlines.call(TRACE_BATCH_MS, batches),
    );
  }

  #tell(
    trace: Trace,
    event: TracedEvent['event'],
    to: ActorId,
    envelope: Envelope,
    at: number,
    reason: string | undefined,
  ): void {
    const { from, band, type, message } = envelope;
    const isOver = event === 'done' || event === 'failed';
    const now = isOver || event === 'taken' ? this.#thread.clock.now() : 0;
    if (event === 'taken') this.#taken.set(envelope, now);
    const takenAt = isOver ? this.#taken.get(envelope) : undefined;
    trace.events.push({
      event,
      at,
      actor: to,
      from,
      type,
      band: BAND_NAMES[queueBand(band)],
      ...(takenAt === undefined ? {} : { ms: now - takenAt }),
      ...(reason === undefined ? {} : { reason }),
      ...(trace.order.preview ? { sizeBytes: sizeOf(message), preview: previewOf(type, message) } : {}),
    });
  }

  #send(trace: Trace): void {
    const { events, leftOut } = trace;
    if (events.length === 0 && leftOut === 0) return;
    trace.events = [];
    const message = { type: 'traced', trace: trace.order.trace, events, leftOut };
    const { router, number } = this.#thread;
    const sent = router.tell(threadActor(number), threadActor(MAIN_THREAD), message, Band.control);
    trace.leftOut = sent ? 0 : leftOut + events.length;
  }
}
