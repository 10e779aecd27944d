/**
 * A real system of worker threads with puppets on it, for the tests that need one.
 */
import type { AskOptions } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { ActorReport } from '../../src/runtime/inspect.js';
import { Band, type Message } from '../../src/runtime/message.js';
import type { Probe } from '../../src/runtime/probes.js';
import { System, type SystemOptions } from '../../src/runtime/system.js';

export const actorModule = (name: string): string => new URL(`./actors/${name}.mjs`, import.meta.url).href;

/** Numbers of the threads of a stage. */
export const MAIN = 0;
export const CONTROL = 1;
export const HOST_A = 2;
export const HOST_B = 3;

export class Stage {
  readonly system: System;
  readonly probes: Probe[] = [];
  readonly #first: ReadonlySet<ActorId>;
  #actors = 0;

  private constructor(system: System) {
    this.system = system;
    this.#first = new Set(system.inspect().actors.map(({ id }) => id));
    system.onProbe((probe) => this.probes.push(probe));
  }

  static async open(options?: SystemOptions): Promise<Stage> {
    const hosts = [
      { name: 'host-a', host: true },
      { name: 'host-b', host: true },
    ];
    return new Stage(await System.start(hosts, options));
  }

  close(): Promise<void> {
    return this.system.stop();
  }

  /** Ends every actor that was spawned on it and forgets what was probed: for the next test it is as it was opened. */
  async clear(): Promise<void> {
    for (;;) {
      const spawned = this.system.inspect().actors.filter(({ id }) => !this.#first.has(id));
      if (spawned.length === 0) break;
      await Promise.all(spawned.map(({ id }) => this.system.stopActor(id, 'the test is over')));
    }
    this.probes.length = 0;
  }

  spawn(thread?: number, args: unknown = {}, name = `puppet-${++this.#actors}`): Promise<ActorId> {
    const where = thread === undefined ? {} : { thread };
    return this.system.spawn({ name, module: actorModule('puppet'), args, ...where });
  }

  ask<T = unknown>(id: ActorId, message: Message, options?: AskOptions): Promise<T> {
    return this.system.ask<T>(id, message, { deadlineMs: PATIENCE_MS, ...options });
  }

  /** The puppet's notes, read on the control band: also while its handler awaits. */
  async notes(id: ActorId): Promise<unknown[]> {
    return (await this.ask<{ notes: unknown[] }>(id, { type: 'peekin' }, { band: Band.control })).notes;
  }

  /** Keeps an actor's thread busy until the answer is called. */
  async spin(id: ActorId): Promise<() => Promise<unknown>> {
    const until = new Int32Array(new SharedArrayBuffer(4));
    const spun = this.ask(id, { type: 'spin', until });
    await eventually(() => this.report(id)?.inHand?.type === 'spin');
    return () => {
      Atomics.store(until, 0, 1);
      return spun;
    };
  }

  report(id: ActorId): ActorReport | undefined {
    return this.system.inspect().actors.find((actor) => actor.id === id);
  }

  probed(name: string): Probe[] {
    return this.probes.filter((probe) => probe.name === name);
  }
}

/** As long as a test may take: how fast the machine is decides nothing. */
const PATIENCE_MS = 60_000;

/** Waits until `check` answers something that is neither false nor undefined, and answers that. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<NonNullable<T>> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<T>;
    if (performance.now() > until) throw new Error(`it did not come true: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The error a promise rejects with. */
export const failure = (
  work: Promise<unknown>,
): Promise<{ code?: string; detail?: unknown; message: string }> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );
