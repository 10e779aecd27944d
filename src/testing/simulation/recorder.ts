/**
 * Stands between every actor of a simulation and the runtime, and tells the checks what the actor does and what is done to
 * it. Each message gets a number, in the order of sending.
 */
import type { Behaviour, Context } from '../../runtime/actor.js';
import type { ActorId } from '../../runtime/address.js';
import { ASK_DEADLINE_MS } from '../../runtime/defaults.js';
import type { Change } from '../../runtime/holdings.js';
import { isPromise } from '../../runtime/in-time.js';
import { Band, type Message, type Notice } from '../../runtime/message.js';
import { copy } from '../copy.js';
import { type Wrapping, withParts } from '../wrapping.js';

/** The field of a message that holds its number. */
const NUMBER = '$number';
/** Why an actor stops that has become passive. */
const IDLE = 'it was idle';

export interface Sent {
  readonly number: number;
  readonly from: ActorId;
  readonly to: ActorId;
  readonly band: Band;
  readonly isAsk: boolean;
}

/** What the checks are told. */
export interface Recorded {
  started(actor: ActorId, saved: ReadonlyMap<string, unknown>): void;
  sent(sent: Sent): void;
  /** `tell` answered false: nothing was sent after all. */
  refused(number: number): void;
  handling(actor: ActorId, number: number | undefined, type: string, isUser: boolean): void;
  /** A user handler has settled, well or not. */
  handled(actor: ActorId): void;
  crashed(actor: ActorId): void;
  /** Handed over by a handler that ended well. */
  saved(actor: ActorId, changes: readonly Change[]): void;
  asked(number: number, from: ActorId, deadlineMs: number, type: string): void;
  settled(number: number): void;
  watched(watcher: ActorId, id: ActorId): void;
  unwatched(watcher: ActorId, id: ActorId): void;
  noticed(actor: ActorId, notice: Notice): void;
}

/** One start of an actor, and what its handlers have saved and not yet handed over. */
interface Life {
  readonly id: ActorId;
  ofUser: Change[];
  receiving: boolean;
  /** Those of a handler that may not await, while it runs. */
  ofOther: Change[] | undefined;
  crashed: boolean;
}

interface Thenable {
  then(ended: (value: unknown) => void, crashed: (error: unknown) => void): unknown;
}

export class Recorder implements Wrapping {
  readonly #told: Recorded;
  readonly #lives = new Map<ActorId, Life>();
  #numbers = 0;

  constructor(told: Recorded) {
    this.#told = told;
  }

  /** Gives a message that no recorded actor sends its number. */
  stamp(from: ActorId, to: ActorId, message: Message, band: Band = Band.user, isAsk = false): Message {
    const number = ++this.#numbers;
    this.#told.sent({ number, from, to, band, isAsk });
    return { ...message, [NUMBER]: number };
  }

  start(ctx: Context, saved: ReadonlyMap<string, unknown>): void {
    const life = { id: ctx.self, ofUser: [], receiving: true, ofOther: undefined, crashed: false };
    this.#lives.set(ctx.self, life);
    this.#told.started(ctx.self, saved);
  }

  context(ctx: Context): Context {
    const { self } = ctx;
    const life = this.#lives.get(self) as Life;
    return withParts(ctx, {
      tell: (to, message, options) => {
        const stamped = this.stamp(self, to, message, options?.band);
        const taken = ctx.tell(to, stamped, options);
        if (!taken) this.#told.refused(stamped[NUMBER] as number);
        return taken;
      },
      ask: <T>(to: ActorId, message: Message, options: Parameters<Context['ask']>[2] = {}) => {
        const stamped = this.stamp(self, to, message, options.band, true);
        const number = stamped[NUMBER] as number;
        this.#told.asked(number, self, options.deadlineMs ?? ASK_DEADLINE_MS, message.type);
        const answer = ctx.ask<T>(to, stamped, options);
        const settled = (): void => this.#told.settled(number);
        answer.then(settled, settled);
        return answer;
      },
      save: (key, value) => {
        ctx.save(key, value);
        const change: Change = [key, copy(value)];
        if (life.crashed) return;
        if (life.ofOther !== undefined) life.ofOther.push(change);
        else if (life.receiving) life.ofUser.push(change);
        else this.#told.saved(self, [change]);
      },
      watch: (id) => {
        if (!life.crashed) this.#told.watched(self, id);
        ctx.watch(id);
      },
      unwatch: (id) => {
        if (!life.crashed) this.#told.unwatched(self, id);
        ctx.unwatch(id);
      },
    });
  }

  behaviour(behaviour: Behaviour, ctx: Context): Behaviour {
    const life = this.#lives.get(ctx.self) as Life;
    this.#userEnds(life);
    const recorded: Behaviour = {
      receive: (message: never) => this.#receive(life, behaviour, message, ctx),
      notice: (notice) => {
        this.#told.noticed(life.id, notice);
        this.#within(life, () => behaviour.notice?.(notice, ctx));
      },
      passivate: () => this.#within(life, () => behaviour.passivate?.(ctx)),
      stop: (reason) => {
        // Who is taken down, or ends, has lost what it had in hand, as in a crash; one that was idle has lost nothing.
        if (reason !== IDLE) this.#crash(life);
        return behaviour.stop?.(reason);
      },
    };
    if (behaviour.control === undefined) return recorded;
    recorded.control = (message: never) => {
      this.#handling(life, message, false);
      return this.#within(life, () => behaviour.control?.(message, ctx));
    };
    return recorded;
  }

  #receive(life: Life, behaviour: Behaviour, message: never, ctx: Context): unknown {
    this.#handling(life, message, true);
    life.receiving = true;
    const failed = (error: unknown): never => {
      this.#crash(life);
      throw error;
    };
    try {
      const value = behaviour.receive(message, ctx);
      if (!isPromise(value)) {
        this.#userEnds(life);
        return value;
      }
      // Not a promise of its own, which the runtime would hear of later: what comes between the two may be a crash.
      const heard: Thenable['then'] = (ended, crashed) =>
        value.then(
          (result) => {
            this.#userEnds(life);
            ended(result);
          },
          (error) => {
            this.#crash(life);
            crashed(error);
          },
        );
      // biome-ignore lint/suspicious/noThenProperty: the runtime takes it for the promise that it stands for.
      return { then: heard };
    } catch (error) {
      return failed(error);
    }
  }

  #within<T>(life: Life, handle: () => T): T {
    const changes: Change[] = [];
    life.ofOther = changes;
    try {
      const value = handle();
      if (changes.length > 0) this.#told.saved(life.id, changes);
      return value;
    } catch (error) {
      this.#crash(life);
      throw error;
    } finally {
      life.ofOther = undefined;
    }
  }

  #handling({ id }: Life, message: Message, isUser: boolean): void {
    this.#told.handling(id, message[NUMBER] as number | undefined, message.type, isUser);
  }

  #userEnds(life: Life): void {
    if (life.crashed) return;
    life.receiving = false;
    if (life.ofUser.length > 0) this.#told.saved(life.id, life.ofUser);
    life.ofUser = [];
    this.#told.handled(life.id);
  }

  #crash(life: Life): void {
    if (life.crashed) return;
    life.crashed = true;
    this.#told.crashed(life.id);
  }
}
