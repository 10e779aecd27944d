/**
 * The children of a supervisor that start again together, because one of them crashed: those that are up are taken down,
 * and then each starts when the one before it has. A supervisor has one group under way at most.
 */
import type { Context } from './actor.js';
import { NOBODY } from './address.js';
import type { Child, Children } from './children.js';
import { spawnedWithinMs } from './placement.js';
import type { Restart } from './strategy.js';
import type { SupervisorMessage } from './supervision-protocol.js';

export class Group {
  readonly #ctx: Context;
  readonly #children: Children;
  /** Told when all have started, as far as they do. */
  readonly #onOver: () => void;
  /** Those that are yet to start; the first one is starting, once none is being taken down. */
  readonly #toStart: Child[];
  #takingDown = true;
  #calledOff = false;
  /** Forgets that the first one may be overdue. */
  #forget: () => void = () => {};

  constructor(ctx: Context, children: Children, { start }: Restart<Child>, onOver: () => void) {
    this.#ctx = ctx;
    this.#children = children;
    this.#onOver = onOver;
    this.#toStart = [...start];
  }

  async begin({ stop, afterMs }: Restart<Child>, sibling: string, reason: string): Promise<void> {
    const calledOff = (): boolean => this.#calledOff;
    await this.#children.takeDown(stop, { sibling, reason, calledOff });
    if (this.#calledOff) return;
    this.#takingDown = false;
    this.#startFirst(afterMs);
  }

  callOff(): void {
    this.#calledOff = true;
    this.#forget();
  }

  waitsFor(child: Child): boolean {
    return this.#toStart[0] === child;
  }

  /** A child is up, or gone: the next one need not wait for it. */
  goOnFrom(child: Child): void {
    if (this.waitsFor(child) && !this.#takingDown) this.#startFirst(0);
  }

  /** The first one is overdue. */
  goOnWithoutFirst(): void {
    this.#toStart.shift();
    this.#startFirst(0);
  }

  #startFirst(afterMs: number): void {
    this.#forget();
    // Some came back with their thread, or by a message; some have ended meanwhile.
    const isDown = (one: Child): boolean => !one.up && this.#children.list.includes(one);
    while (this.#toStart[0] !== undefined && !isDown(this.#toStart[0])) this.#toStart.shift();
    const [child] = this.#toStart;
    if (child === undefined) {
      this.#onOver();
      return;
    }
    const overdue: SupervisorMessage = { type: 'overdue' };
    const dueMs = afterMs + spawnedWithinMs(child.options);
    const dropTimer = this.#ctx.after(dueMs, overdue);
    // Those after it wait for the supervisor; so it shows for whom it waits itself.
    const wait = { for: child.id, reason: 'start', deadlineMs: dueMs };
    const endWait = child.id === NOBODY ? undefined : this.#ctx.wait(wait);
    this.#forget = () => {
      dropTimer();
      endWait?.();
    };
    this.#children.startIn(afterMs, child);
  }
}
