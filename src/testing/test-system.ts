/**
 * A system of actors for tests: the real runtime, with all its threads in this one and in virtual time. Nothing happens
 * but what the test lets happen, and the same test happens the same way each time.
 */
import type { AskOptions, SpawnOptions, TellOptions } from '../runtime/actor.js';
import type { ActorId } from '../runtime/address.js';
import type { Message } from '../runtime/message.js';
import { System, type ThreadPlan } from '../runtime/system.js';
import type { Thread } from '../runtime/thread.js';
import { MAIN_THREAD } from '../runtime/well-known.js';
import { type Actor, Actors } from './actors.js';
import { cloning } from './cloning.js';
import { NeverSettles } from './errors.js';
import type { LineTap } from './line.js';
import { type Choose, inOrder, Loop } from './loop.js';
import { TestPlatform } from './platform.js';
import { ProbeActor } from './probe-actor.js';
import { Random } from './random.js';
import type { Wrapping } from './wrapping.js';

/** More steps than this without coming to an end are taken for a system that never does. */
const MOST_STEPS = 2_000_000;

export interface TestOptions {
  /** Threads beside the main and the control thread, numbered from 2; default: one, that hosts actors. */
  readonly threads?: readonly ThreadPlan[];
  /** Decides, of what can happen next, what does. Default: whatever was there first. */
  readonly seed?: number;
  /** Clones messages and answers also within a thread; default true. */
  readonly clone?: boolean;
  /** How long a batch is on its way between two threads, ms; default 0. */
  readonly delayMs?: () => number;
  /** A thread that answers nothing for so long is frozen, and replaced; default 0: never. */
  readonly frozenMs?: number;
  /** Sees every batch of every line. */
  readonly tap?: LineTap;
  /** Put around each actor, the first innermost. */
  readonly wrappings?: readonly Wrapping[];
}

/** As for `System.spawn`, with the actor itself: its definition, or the URL of its module. */
export type TestSpawnOptions = Omit<SpawnOptions, 'module' | 'args'> & {
  readonly actor: Actor;
  readonly args?: unknown;
};

export class TestSystem {
  readonly system: System;
  readonly loop: Loop;
  readonly #actors: Actors;
  readonly #platform: TestPlatform;

  private constructor(system: System, loop: Loop, actors: Actors, platform: TestPlatform) {
    this.system = system;
    this.loop = loop;
    this.#actors = actors;
    this.#platform = platform;
  }

  static async start(options: TestOptions = {}): Promise<TestSystem> {
    const { seed, clone = true, delayMs = () => 0, frozenMs = 0, tap = {}, wrappings = [] } = options;
    const loop = new Loop(seed === undefined ? inOrder : bySeed(seed));
    const actors = new Actors(clone ? [cloning, ...wrappings] : wrappings);
    const platform = new TestPlatform(loop, actors.load, { delayMs, tap });
    const threads = options.threads ?? [{ name: 'host', host: true }];
    const system = await settle(
      loop,
      System.start(threads, { platform, frozenMs }),
      'the start of the system',
    );
    return new TestSystem(system, loop, actors, platform);
  }

  // Actors

  /** Starts an actor, and lets the system run until it has. Rejects as `System.spawn` does. */
  async spawn({ actor, ...options }: TestSpawnOptions): Promise<ActorId> {
    const module = await this.module(actor);
    return this.settle(this.system.spawn({ args: undefined, ...options, module }));
  }

  /** The module that stands for an actor in options of the runtime's own, such as those of a supervisor's children. */
  module(actor: Actor): Promise<string> {
    return this.#actors.add(actor);
  }

  /** An actor that the test speaks and hears through; it lives on the main thread. */
  async probe(name = 'probe'): Promise<ProbeActor> {
    const probe = new ProbeActor(name, this);
    await this.settle(this.system.main.spawn(probe.definition, { name, args: undefined }));
    return probe;
  }

  tell(to: ActorId, message: Message, options?: TellOptions): boolean {
    return this.system.tell(to, message, options);
  }

  /** Asks, and lets the system run until the answer is there. */
  ask<T>(to: ActorId, message: Message, options?: AskOptions): Promise<T> {
    return this.settle(this.system.ask<T>(to, message, options));
  }

  stopActor(id: ActorId, reason = 'the test stopped it'): Promise<void> {
    return this.settle(this.system.stopActor(id, reason));
  }

  /** Ends a thread as a crash would, at once: what it had sent arrives, the rest is lost. It is started again. */
  loseThread(number: number, reason = 'the test ended it'): void {
    this.#platform.hosts.get(number)?.lose(reason);
  }

  /** Nothing happens on a thread any more, until it is replaced. False: it is not up. */
  freezeThread(number: number): boolean {
    const host = this.#platform.hosts.get(number);
    if (!host?.isUp) return false;
    host.freeze();
    return true;
  }

  /** All threads that are there now. */
  get threads(): Thread[] {
    const { hosts } = this.#platform;
    return [this.system.main, ...[...hosts.values()].filter(({ lost }) => !lost).map(({ thread }) => thread)];
  }

  /** The thread of that number, if it is there now. */
  thread(number: number): Thread | undefined {
    if (number === MAIN_THREAD) return this.system.main;
    const host = this.#platform.hosts.get(number);
    return host === undefined || host.lost ? undefined : host.thread;
  }

  // Time and order

  /** Virtual milliseconds since the system started. */
  get now(): number {
    return this.loop.now;
  }

  /** Lets one thing happen, and what follows from it at once. False: nothing is left that could, at any time. */
  async step(): Promise<boolean> {
    const { steps } = this.loop;
    await this.loop.run(() => this.loop.steps > steps, Number.POSITIVE_INFINITY);
    return this.loop.steps > steps;
  }

  /** Lets everything happen that can without time passing. */
  async idle(): Promise<void> {
    await this.advance(0);
  }

  /** Lets `ms` of virtual time pass, with all that is due meanwhile. */
  async advance(ms: number): Promise<void> {
    await this.runUntil(() => false, ms);
  }

  /** Lets the system run, through as much time as it takes, until a promise has settled; answers as it does. */
  settle<T>(promise: Promise<T>): Promise<T> {
    return settle(this.loop, promise, 'what was waited for');
  }

  /** Lets the system run until `done`, or until `withinMs` have passed. Answers whether it came to that. */
  async runUntil(done: () => boolean, withinMs: number): Promise<boolean> {
    const until = this.loop.now + withinMs;
    const last = this.loop.steps + MOST_STEPS;
    const bounded = (): boolean => {
      if (done()) return true;
      if (this.loop.steps >= last) throw neverSettles(this.loop, 'coming to rest', MOST_STEPS);
      return false;
    };
    const came = await this.loop.run(bounded, until);
    if (!came) this.loop.now = until;
    return came;
  }

  /** Ends the system with its actors. */
  stop(): Promise<void> {
    return this.settle(this.system.stop('the test is over'));
  }
}

function bySeed(seed: number): Choose {
  const random = new Random(seed, SCHEDULE);
  return (ready) => random.pick(ready);
}

/** The stream of a seed's random numbers that decides what comes next. */
const SCHEDULE = 1;

async function settle<T>(loop: Loop, promise: Promise<T>, what: string): Promise<T> {
  let settled = false;
  const end = (): void => {
    settled = true;
  };
  promise.then(end, end);
  const last = loop.steps + MOST_STEPS;
  await loop.run(() => settled || loop.steps >= last, Number.POSITIVE_INFINITY);
  if (!settled) throw neverSettles(loop, what, MOST_STEPS);
  return promise;
}

function neverSettles(loop: Loop, what: string, steps: number): Error {
  return new NeverSettles({ what, steps, waiting: loop.pending.map(({ name }) => name) });
}
