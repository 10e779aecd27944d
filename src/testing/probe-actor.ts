/**
 * An actor that does what the test says: it sends, keeps what it gets, and answers when told to. Expectations let the
 * system go on until they are met, in virtual time.
 */
import type { AskOptions, Behaviour, Context, Definition, TellOptions } from '../runtime/actor.js';
import type { ActorId } from '../runtime/address.js';
import type { Message, Notice } from '../runtime/message.js';
import { ExpectationFailed } from './errors.js';

/** An expectation waits this long, in virtual time, unless told otherwise. */
export const EXPECT_MS = 3_000;

/** A message that a probe got. */
export interface Received<M extends Message = Message> {
  readonly message: M;
  readonly from: ActorId;
  /** Answers it, if it was an ask. */
  reply(value: unknown): void;
  /** Answers it with an error. */
  fail(error: unknown): void;
}

/** What drives a test: runs the system until something is so, or the time is up. */
export interface Driver {
  runUntil(done: () => boolean, withinMs: number): Promise<boolean>;
}

export class ProbeActor {
  readonly name: string;
  readonly #driver: Driver;
  readonly #got: Received[] = [];
  readonly #notices: Notice[] = [];
  #ctx: Context | undefined;

  /** For `TestSystem.probe`. */
  constructor(name: string, driver: Driver) {
    this.name = name;
    this.#driver = driver;
  }

  get id(): ActorId {
    return this.#context.self;
  }

  /** Messages that came and were not expected yet. */
  get left(): readonly Message[] {
    return this.#got.map(({ message }) => message);
  }

  tell(to: ActorId, message: Message, options?: TellOptions): boolean {
    return this.#context.tell(to, message, options);
  }

  /** The answer comes as the system runs: `settle` it, or let time pass. */
  ask<T>(to: ActorId, message: Message, options?: AskOptions): Promise<T> {
    const answer = this.#context.ask<T>(to, message, options);
    answer.catch(() => {});
    return answer;
  }

  watch(id: ActorId): void {
    this.#context.watch(id);
  }

  unwatch(id: ActorId): void {
    this.#context.unwatch(id);
  }

  /**
   * The next message, which must be of `type`. Throws `ExpectationFailed` if it is of another, or if none comes
   * within `withinMs` of virtual time.
   */
  async expectMessage<M extends Message = Message>(
    type: M['type'],
    withinMs = EXPECT_MS,
  ): Promise<Received<M>> {
    const came = await this.#driver.runUntil(() => this.#got.length > 0, withinMs);
    const next = this.#got[0];
    if (!came || next === undefined) {
      throw this.#failure(`a message ${type}`, `none came within ${withinMs} ms`);
    }
    if (next.message.type !== type) {
      throw this.#failure(`a message ${type}`, `the next one is ${next.message.type}`);
    }
    this.#got.shift();
    return next as Received<M>;
  }

  /** Lets `forMs` of virtual time pass. Throws `ExpectationFailed` if a message is there, or comes meanwhile. */
  async expectNoMessage(forMs = EXPECT_MS): Promise<void> {
    await this.#driver.runUntil(() => this.#got.length > 0, forMs);
    const [next] = this.#got;
    if (next !== undefined) {
      throw this.#failure(`no message for ${forMs} ms`, `${next.message.type} came`);
    }
  }

  /** The next notice of the runtime (`ended`, `undelivered`), which must be of `type`. Throws as `expectMessage`. */
  async expectNotice<T extends Notice['type']>(
    type: T,
    withinMs = EXPECT_MS,
  ): Promise<Notice & { readonly type: T }> {
    await this.#driver.runUntil(() => this.#notices.length > 0, withinMs);
    const next = this.#notices[0];
    if (next?.type !== type) {
      const found = next === undefined ? `none came within ${withinMs} ms` : `the next one is ${next.type}`;
      throw this.#failure(`a notice ${type}`, found);
    }
    this.#notices.shift();
    return next as Notice & { readonly type: T };
  }

  /** For `TestSystem.probe`. */
  get definition(): Definition {
    const take = (message: Message, ctx: Context): void => {
      const { sender } = ctx;
      const later = ctx.replyLater();
      this.#got.push({ message, from: sender, reply: later.resolve, fail: later.reject });
    };
    return {
      kind: 'probe',
      start: (ctx) => {
        this.#ctx = ctx;
        const behaviour: Behaviour = {
          receive: take,
          control: take,
          notice: (notice) => void this.#notices.push(notice),
        };
        return behaviour;
      },
    };
  }

  get #context(): Context {
    return this.#ctx as Context;
  }

  #failure(expected: string, found: string): Error {
    return new ExpectationFailed({ probe: `the probe ${this.name}`, expected, found });
  }
}
