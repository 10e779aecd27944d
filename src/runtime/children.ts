/**
 * The children of one supervisor, in the order in which they start: made, taken over from an earlier life, given their
 * orders, ended.
 */
import { type Context, type Refusal, type Reply, refuse, type SpawnOptions } from './actor.js';
import { type ActorId, NOBODY, threadActor, threadOf } from './address.js';
import { ACTOR_STOP_MS, ASK_DEADLINE_MS } from './defaults.js';
import { ActorEnded } from './errors.js';
import { Band, type Message } from './message.js';
import { spawnedWithinMs } from './placement.js';
import type { ChildState } from './strategy.js';
import type { Order } from './supervision-protocol.js';
import { DIRECTORY, SUPERVISOR } from './well-known.js';

export interface Child extends ChildState {
  readonly options: SpawnOptions;
  /** NOBODY when it has ended and is to be made anew. */
  id: ActorId;
  up: boolean;
  /** This life of its supervisor has it taken down, and has not heard that it is. */
  takenDown: boolean;
  /** It ended while its supervisor was down, which will hear why if it can. */
  missing: boolean;
  /** Its order, until its thread has asked for it; and the question, until there is one. */
  order: Order | undefined;
  asked: Reply | undefined;
}

interface SavedChild {
  readonly options: SpawnOptions;
  readonly id: ActorId;
}

/** A child's thread has this long to take it down, a supervisor among the children to end its own. */
export const DOWN_MS = ACTOR_STOP_MS + ASK_DEADLINE_MS;
/** The directory ends an actor within this. */
const END_MS = 2 * (ACTOR_STOP_MS + ASK_DEADLINE_MS);
/** Key of the store under which it says that all were started; every other key is a child's. */
const STARTED = 'started';
const keyOf = (name: string): string => `child ${name}`;

export class Children {
  readonly #ctx: Context;
  #list: Child[] = [];
  #ended = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  get list(): readonly Child[] {
    return this.#list;
  }

  of(id: ActorId): Child | undefined {
    return this.#list.find((child) => child.id === id);
  }

  named(name: string): Child | undefined {
    return this.#list.find((child) => child.name === name);
  }

  /** Starts them in order. When one cannot start, those before it end. */
  async begin(children: readonly SpawnOptions[]): Promise<void> {
    try {
      for (const options of children) await this.add(options);
      this.#ctx.save(STARTED, true);
    } catch (error) {
      await this.end('a sibling could not be started');
      throw error;
    }
  }

  /** Takes over those of an earlier life. False: there was none, or it was about to end them all. */
  async adopt(saved: ReadonlyMap<string, unknown>): Promise<boolean> {
    if (!saved.has(STARTED)) {
      const left = [...saved.values()].reverse() as SavedChild[];
      for (const { options, id } of left) await this.#end(options.name, id, 'its supervisor gave up');
      return false;
    }
    for (const [key, value] of saved) {
      if (key === STARTED) continue;
      const { options, id } = value as SavedChild;
      const living = await this.#ask(DIRECTORY, { type: 'lookup', name: options.name }, ASK_DEADLINE_MS);
      this.#list.push({ ...childOf(options, id), missing: living !== id });
    }
    return true;
  }

  async add(options: SpawnOptions): Promise<Child> {
    const child = childOf(options, NOBODY);
    await this.spawn(child);
    this.#list.push(child);
    return child;
  }

  /** Rejects with what its start threw, and whatever else a spawn rejects with. */
  async spawn(child: Child): Promise<void> {
    const { options } = child;
    const spawn = { type: 'spawn', options: { ...options, parent: this.#ctx.self } };
    child.id = await this.#ask<ActorId>(DIRECTORY, spawn, spawnedWithinMs(options));
    if (this.#ended) {
      const reason = 'its supervisor started no more children';
      void this.#ask(DIRECTORY, { type: 'stop', id: child.id, reason }, END_MS).catch(() => {});
      throw new ActorEnded({ actor: child.name, reason });
    }
    this.#ctx.save(keyOf(child.name), { options, id: child.id } satisfies SavedChild);
  }

  remove(child: Child): void {
    this.#list = this.#list.filter((other) => other !== child);
    this.#ctx.save(keyOf(child.name), undefined);
  }

  /** Has it started again at its address, or made anew if it has none. */
  startIn(afterMs: number, child: Child): void {
    if (child.id === NOBODY) {
      this.#ctx.after(afterMs, { type: 'spawn', name: child.name });
      return;
    }
    child.order = { type: 'start', afterMs };
    this.#deliver(child);
  }

  keep(child: Child, reply: Reply): void {
    this.forgetAsked(child);
    child.asked = reply;
    this.#deliver(child);
  }

  /** Whoever asked is lost with its thread. */
  forgetAsked(child: Child): void {
    child.asked?.reject(new ActorEnded({ actor: child.name, reason: 'its thread was lost' }));
    child.asked = undefined;
  }

  /** Takes children down one after the other, until it is called off; each then asks when to start. */
  async takeDown(
    children: readonly Child[],
    { sibling, reason, calledOff }: { sibling: string; reason: string; calledOff: () => boolean },
  ): Promise<void> {
    for (const child of children) {
      if (calledOff()) return;
      const { id, options, up } = child;
      // It has crashed by itself meanwhile, and asks already.
      if (!up) continue;
      Object.assign(child, { up: false, takenDown: true, order: undefined });
      // One that cannot be reached is with a thread that is lost or stuck, and is dealt with there.
      if (options.module === SUPERVISOR) await this.#ask(id, { type: 'halt' }, DOWN_MS).catch(() => {});
      const suspend = { type: 'suspend', id, sibling, reason };
      await this.#ask(threadActor(threadOf(id)), suspend, DOWN_MS).catch(() => {});
    }
  }

  /** Ends all, the last first. The supervisor's next life starts its children as the first one did. */
  async end(reason: string): Promise<void> {
    this.#ended = true;
    const children = this.#list.reverse();
    this.#list = [];
    this.#ctx.save(STARTED, undefined);
    // Not before that is handed over: should this life end halfway, the next one ends those who are left.
    await undefined;
    for (const { name, id } of children) await this.#end(name, id, reason);
  }

  /** One whose end is not heard of in time is ended by the directory with its supervisor. */
  async #end(name: string, id: ActorId, reason: string): Promise<void> {
    if (id !== NOBODY) await this.#ask(DIRECTORY, { type: 'stop', id, reason }, END_MS).catch(() => {});
    this.#ctx.save(keyOf(name), undefined);
  }

  #deliver(child: Child): void {
    const { order, asked } = child;
    if (order === undefined || asked === undefined) return;
    child.order = undefined;
    child.asked = undefined;
    asked.resolve(order);
  }

  #ask<T>(to: ActorId, message: Message, deadlineMs: number): Promise<T> {
    return this.#ctx.ask<T>(to, message, { band: Band.reserved, deadlineMs });
  }
}

/** The answer to one that is none of them. */
export const stranger = (id: ActorId): Refusal =>
  refuse(new ActorEnded({ actor: `child ${id}`, reason: 'it is no child of this supervisor' }));

const childOf = (options: SpawnOptions, id: ActorId): Child => ({
  name: options?.name,
  options,
  id,
  up: true,
  takenDown: false,
  missing: false,
  order: undefined,
  asked: undefined,
});
