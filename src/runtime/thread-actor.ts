/**
 * The actor at slot 0 of every thread: what others may ask of the thread itself.
 */
import { type Behaviour, type Context, type Definition, refuse, type SpawnOptions } from './actor.js';
import { type ActorId, threadActor } from './address.js';
import type { Cell } from './cell.js';
import { PEEK_MESSAGES, PEEK_PREVIEW } from './defaults.js';
import { ActorEnded, BadArgument } from './errors.js';
import { BAND_NAMES, Band, type Envelope } from './message.js';
import type { Thread } from './thread.js';

export type ThreadMessage =
  | {
      readonly type: 'spawn';
      readonly options: SpawnOptions;
      readonly again?: { id: ActorId; incarnation: number; saved: ReadonlyMap<string, unknown> };
    }
  | { readonly type: 'peek'; readonly id: ActorId; readonly preview: boolean }
  | { readonly type: 'stop'; readonly id: ActorId; readonly reason: string };

export interface PeekedMessage {
  readonly band: (typeof BAND_NAMES)[number];
  readonly type: string;
  readonly from: ActorId;
  readonly ageMs: number;
  /** Of the message as JSON; an estimate of what it weighs. */
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
  readonly waits: readonly {
    readonly reason: string;
    readonly forMs: number;
    readonly leftMs: number;
    readonly on: ActorId;
  }[];
}

class ThreadActor implements Behaviour {
  readonly #thread: Thread;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  receive(message: ThreadMessage, ctx: Context): unknown {
    return this.control(message, ctx);
  }

  control(message: ThreadMessage, ctx: Context): unknown {
    switch (message.type) {
      case 'spawn': {
        const reply = ctx.replyLater();
        void this.#spawn(message).then(reply.resolve, reply.reject);
        return undefined;
      }
      case 'peek': {
        const cell = this.#thread.cell(message.id);
        return cell ? peek(cell, this.#thread.now, message.preview) : this.#gone(message.id);
      }
      case 'stop': {
        const cell = this.#thread.cell(message.id);
        if (cell === undefined) return this.#gone(message.id);
        const reply = ctx.replyLater();
        void cell.end(message.reason).then(() => reply.resolve(undefined));
        return undefined;
      }
    }
  }

  async #spawn({ options, again }: ThreadMessage & { type: 'spawn' }): Promise<ActorId> {
    const module = (await import(options.module)) as { default?: Definition };
    if (typeof module.default?.start !== 'function') {
      throw new BadArgument({
        argument: 'module',
        value: options.module,
        expected: 'a module whose default export is an actor definition',
      });
    }
    return this.#thread.spawn(module.default, options, again);
  }

  #gone(id: ActorId): unknown {
    return refuse(new ActorEnded({ actor: `actor ${id}`, reason: 'no actor lives at this address' }));
  }
}

export const threadDefinition = (thread: Thread): Definition => ({
  kind: 'thread',
  start: () => new ThreadActor(thread),
});

/** Its address is the same in every life of the thread. */
export const startThreadActor = (thread: Thread, life: number): Promise<ActorId> =>
  thread.spawn(
    threadDefinition(thread),
    { name: `thread/${thread.name}`, module: '', args: undefined, thread: thread.number },
    { id: threadActor(thread.number), incarnation: life, saved: new Map() },
  );

function peek(cell: Cell, now: number, preview: boolean): PeekReport {
  const queued: PeekedMessage[] = [];
  let more = 0;
  for (const envelope of cell.mailbox) {
    if (queued.length < PEEK_MESSAGES) queued.push(describe(envelope, now, preview));
    else more++;
  }
  return {
    id: cell.id,
    name: cell.options.name,
    inHand: cell.inHand && describe(cell.inHand, now, preview),
    queued,
    more,
    waits: cell.context.waits.map((wait) => ({
      reason: wait.reason,
      forMs: now - wait.since,
      leftMs: wait.deadline - now,
      on: wait.for,
    })),
  };
}

function describe(envelope: Envelope, now: number, preview: boolean): PeekedMessage {
  const band = envelope.band === Band.reserved ? Band.control : envelope.band;
  return {
    band: BAND_NAMES[band],
    type: envelope.message.type,
    from: envelope.from,
    ageMs: now - envelope.at,
    sizeBytes: JSON.stringify(envelope.message)?.length ?? 0,
    ...(preview ? { preview: redacted(envelope.message) } : {}),
  };
}

/** Texts are what people wrote: a preview shows their length only. */
function redacted(message: object): string {
  const text = JSON.stringify(message, (key, value) =>
    typeof value === 'string' && key !== 'type' ? `<${value.length} characters>` : value,
  );
  return text.length > PEEK_PREVIEW ? `${text.slice(0, PEEK_PREVIEW)}...` : text;
}
