/**
 * One thread with a clock that only a test moves, for actors tested by what they say and hear: the actor is real, and
 * those it speaks with are told what to say.
 */
import type { Context, Definition } from '../../src/runtime/actor.js';
import { type ActorId, threadActor } from '../../src/runtime/address.js';
import { Board, createBoardMemory } from '../../src/runtime/board.js';
import { directory } from '../../src/runtime/directory.js';
import { Band, type Message } from '../../src/runtime/message.js';
import type { Probe } from '../../src/runtime/probes.js';
import { store } from '../../src/runtime/store.js';
import { Thread } from '../../src/runtime/thread.js';
import { startThreadActor } from '../../src/runtime/thread-actor.js';
import { CONTROL_THREAD, STORE } from '../../src/runtime/well-known.js';

/** Lets everything that was told be handled, and what that told in turn. */
export async function settled(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export class TestThread {
  readonly probes: Probe[] = [];
  readonly #thread: Thread;
  #now = 0;
  #timers: Timer[] = [];

  private constructor() {
    const clock = {
      now: () => this.#now,
      soon: (fire: () => void) => void setImmediate(fire),
      after: (ms: number, fire: () => void) => {
        const timer = { at: this.#now + ms, fire };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
    };
    this.#thread = new Thread(CONTROL_THREAD, 'control', clock, new Board(createBoardMemory()), 0);
    this.#thread.probes.on((probe) => this.probes.push(probe));
  }

  static async start(): Promise<TestThread> {
    const thread = new TestThread();
    await startThreadActor(thread.#thread, 0);
    await thread.spawn(directory as Definition, 'directory', { hosts: [] });
    await thread.spawn(store, 'store');
    return thread;
  }

  spawn(what: Definition, name: string, args?: unknown): Promise<ActorId> {
    return this.#thread.spawn(what, { name, module: '', args, thread: CONTROL_THREAD });
  }

  ask<T>(to: ActorId, message: Message, band: Band = Band.user): Promise<T> {
    return this.#thread.ask<T>(threadActor(CONTROL_THREAD), to, message, { band, deadlineMs: 1e9 });
  }

  /** What an actor has handed over. */
  saved(id: ActorId): Promise<ReadonlyMap<string, unknown>> {
    return this.ask(STORE, { type: 'load', id }, Band.reserved);
  }

  /** Lets time pass, and what is due happen. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      next.fire();
    }
    this.#now = end;
  }

  /** Ends all actors. */
  stop(): Promise<void> {
    return this.#thread.stopAll('the test is over');
  }
}

export interface Spoken {
  readonly type: string;
}

/** Said before what a test is about: that somebody is there, or knows all. */
const GREETINGS = ['here', 'all-said'];

/** One who speaks with the actor under test, and hears it. */
export class Party<Says extends Spoken, Hears> {
  #heard: Hears[] = [];
  readonly #ctx: Context;
  readonly #to: () => ActorId;

  private constructor(ctx: Context, to: () => ActorId) {
    this.#ctx = ctx;
    this.#to = to;
  }

  static async enter<Says extends Spoken, Hears>(
    thread: TestThread,
    name: string,
    to: () => ActorId,
  ): Promise<Party<Says, Hears>> {
    let party: Party<Says, Hears> | undefined;
    const start = (ctx: Context) => {
      const entered = new Party<Says, Hears>(ctx, to);
      party = entered;
      const hear = (message: Hears): void => {
        if (!GREETINGS.includes((message as Spoken).type)) entered.#heard.push(message);
      };
      return { receive: hear, control: hear };
    };
    await thread.spawn({ kind: 'party', start }, name);
    return party as Party<Says, Hears>;
  }

  get id(): ActorId {
    return this.#ctx.self;
  }

  tell(message: Says, band: Band = Band.reserved): void {
    this.#ctx.tell(this.#to(), message as Says & Message, { band });
  }

  /** What it has heard since it last asked. */
  async hears(): Promise<Hears[]> {
    await settled();
    return this.#heard.splice(0);
  }

  end(): void {
    this.#ctx.stop();
  }
}
