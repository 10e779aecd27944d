/**
 * Looks at what supervisors hear and do and at when their children start, and says where that is not what the strategy
 * wants: whom a crash takes along, who starts after whom, how soon, and when a supervisor gives up.
 */
import type { Behaviour, Context } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { Message } from '../../src/runtime/message.js';
import type { Strategy } from '../../src/runtime/strategy.js';
import type { Backoff, Intensity } from '../../src/runtime/supervision.js';
import { type Wrapping, withParts } from '../../src/testing/wrapping.js';

export interface Family {
  readonly strategy: Strategy;
  /** Names, in the order in which they start. */
  readonly children: readonly string[];
  readonly intensity: Intensity;
  readonly backoff: Backoff;
}

interface Crash {
  readonly child: string;
  readonly at: number;
}

interface Parent {
  readonly family: Family;
  /** Those of this life that it has heard of. */
  readonly crashes: Crash[];
  /** Children that it has taken down, and for which crash; until they start. */
  readonly takenDown: Map<string, Crash>;
}

/** Of what a supervisor hears and says. */
type Said = Message & {
  readonly child: ActorId;
  readonly crashed: boolean;
  readonly id: ActorId;
  readonly failed: boolean;
  readonly reason: string;
};

/** After a thread is back, children of whoever was lost with it may for so long start by themselves. */
const SETTLED_MS = 2_000;
/** Why one ends that its own supervisor should have taken down. */
const WITH_SIBLINGS = 'it is started again with its siblings';

export class Kin implements Wrapping {
  readonly #families: ReadonlyMap<string, Family>;
  readonly #broken: (property: string, what: string) => void;
  readonly #now: () => number;
  /** Living supervisors, by name. */
  readonly #parents = new Map<string, Parent>();
  readonly #names = new Map<ActorId, string>();
  readonly #started = new Map<string, number>();
  /** Threads that are lost or frozen and not back, and when the latest came back. */
  readonly #out = new Set<number>();
  #backAt = Number.NEGATIVE_INFINITY;
  readonly ids = new Map<string, ActorId>();

  constructor(
    families: ReadonlyMap<string, Family>,
    broken: (property: string, what: string) => void,
    now: () => number,
  ) {
    this.#families = families;
    this.#broken = broken;
    this.#now = now;
  }

  lost(thread: number): void {
    this.#out.add(thread);
  }

  back(thread: number): void {
    this.#out.delete(thread);
    this.#backAt = this.#now();
  }

  start({ name, self }: Context): void {
    this.#names.set(self, name);
    this.ids.set(name, self);
    for (const parent of this.#parents.values()) this.#childStarts(parent, name);
    this.#started.set(name, this.#now());
    const family = this.#families.get(name);
    if (family !== undefined) this.#parents.set(name, { family, crashes: [], takenDown: new Map() });
  }

  context(ctx: Context): Context {
    if (!this.#families.has(ctx.name)) return ctx;
    return withParts(ctx, {
      ask: (to, message, options) => {
        const parent = this.#parents.get(ctx.name);
        if (message.type === 'suspend' && parent !== undefined) {
          this.#takesDown(parent, this.#names.get((message as Said).id) ?? '', String(message.sibling));
        }
        return ctx.ask(to, message, options);
      },
    });
  }

  behaviour(behaviour: Behaviour, ctx: Context): Behaviour {
    if (!this.#families.has(ctx.name)) return behaviour;
    const { control } = behaviour;
    return {
      receive: (message: never) => behaviour.receive(message, ctx),
      control: (message: never) => {
        const { type, child, crashed, id, failed, reason } = message as Said;
        const parent = this.#parents.get(ctx.name);
        if (type === 'down' && crashed) this.#crashed(parent, child);
        if (type === 'gone' && failed) this.#crashed(parent, id);
        if (type === 'give-up' && reason !== WITH_SIBLINGS) this.#givesUp(ctx.name, parent);
        return control?.call(behaviour, message, ctx);
      },
      notice: (notice) => behaviour.notice?.(notice, ctx),
      passivate: () => behaviour.passivate?.(ctx),
      stop: (reason) => {
        // Its children may start by themselves until it is back.
        this.#parents.delete(ctx.name);
        return behaviour.stop?.(reason);
      },
    };
  }

  /** All is quiet: whoever was to start with one that crashed has done so. */
  quiet(isThere: (name: string) => boolean): void {
    for (const [name, { family, crashes }] of this.#parents) {
      if (!isThere(name)) continue;
      for (const { child, at } of crashes) {
        if (this.#disturbedSince(at)) continue;
        for (const other of affected(family, child)) {
          if ((this.#started.get(other) ?? 0) > at) continue;
          const what = `${other} did not start again after ${child} crashed under ${family.strategy}`;
          this.#broken('a crash takes along whom the strategy says', what);
        }
      }
    }
  }

  #crashed(parent: Parent | undefined, child: ActorId): void {
    parent?.crashes.push({ child: this.#names.get(child) ?? '', at: this.#now() });
  }

  #takesDown({ family, crashes, takenDown }: Parent, child: string, crashed: string): void {
    const cause = crashes.findLast((crash) => crash.child === crashed);
    if (cause !== undefined) takenDown.set(child, cause);
    if (family.strategy !== 'one-for-one' && affected(family, crashed).includes(child)) return;
    const what = `${child} was taken down for ${crashed} under ${family.strategy}`;
    this.#broken('a crash takes along whom the strategy says', what);
  }

  #childStarts({ family, crashes, takenDown }: Parent, child: string): void {
    if (!family.children.includes(child)) return;
    const now = this.#now();
    const own = crashes.findLast((crash) => crash.child === child);
    const since = this.#started.get(child) ?? 0;
    if (
      own !== undefined &&
      own.at >= since &&
      !this.#disturbedSince(own.at) &&
      family.strategy === 'one-for-one'
    ) {
      const least = family.backoff.firstMs * (1 - family.backoff.jitter);
      if (now - own.at < least - 1) {
        this.#broken('a restart waits', `${child} started ${now - own.at} ms after its crash, not ${least}`);
      }
    }
    const cause = takenDown.get(child);
    takenDown.delete(child);
    if (cause === undefined || this.#disturbedSince(cause.at)) return;
    const group = affected(family, cause.child);
    for (const other of group.slice(0, Math.max(0, group.indexOf(child)))) {
      if ((this.#started.get(other) ?? 0) >= cause.at) continue;
      this.#broken('children start in their order', `${child} started before ${other} had`);
    }
  }

  #givesUp(name: string, parent: Parent | undefined): void {
    if (parent === undefined) return;
    const { family, crashes } = parent;
    const { count, withinMs } = family.intensity;
    const within = family.strategy === 'one-for-one' ? withinMs : Number.POSITIVE_INFINITY;
    // Children crash on while it ends them.
    const counts = crashes.map(({ at: last }, i) => {
      return crashes.slice(0, i + 1).filter(({ at }) => last - at < within).length;
    });
    const counted = Math.max(0, ...counts);
    if (counted > count) return;
    this.#broken(
      'a supervisor gives up when it is to',
      `${name} gave up after ${counted} crashes, not ${count + 1}`,
    );
  }

  #disturbedSince(at: number): boolean {
    return this.#out.size > 0 || this.#backAt + SETTLED_MS >= at;
  }
}

/** Who starts again when a child has crashed. */
function affected({ strategy, children }: Family, crashed: string): readonly string[] {
  if (strategy === 'one-for-one') return children.filter((child) => child === crashed);
  return strategy === 'one-for-all' ? children : children.slice(children.indexOf(crashed));
}

/** Names that are to be there with a supervisor: its children, and theirs. */
export function membersOf(families: ReadonlyMap<string, Family>, name: string): string[] {
  const { children } = families.get(name) ?? { children: [] };
  return children.flatMap((child) => [child, ...membersOf(families, child)]);
}
