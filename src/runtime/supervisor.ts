/**
 * The supervisor: an actor that starts others, its children, and decides what becomes of them when one crashes.
 *
 * A child that has crashed, or was taken down for a sibling, keeps its address and its mailbox, and its thread asks here
 * when it starts (`down`, then `resume`); when the supervisor is lost that ask fails, and the child starts by itself.
 * What is decided is said by `strategy.ts`; here it is done, one `group.ts` of children after the other.
 */
import { type Behaviour, type Context, type Definition, refuse } from './actor.js';
import { type ActorId, NOBODY } from './address.js';
import { type Child, Children, DOWN_MS, stranger } from './children.js';
import { CHILDREN } from './defaults.js';
import { ActorEnded, asTroupeError, BadArgument, Escalated } from './errors.js';
import { Group } from './group.js';
import { Band } from './message.js';
import { planRestart } from './strategy.js';
import { NO_CRASHES, type RestartPolicy, seededRandom } from './supervision.js';
import {
  checkSupervisor,
  type Order,
  policyOf,
  type SupervisorArgs,
  type SupervisorMessage,
} from './supervision-protocol.js';

interface Crash {
  readonly child: Child;
  readonly reason: string;
}

/** For a child that an earlier life of the supervisor knew to be down, or had taken down: nobody knows what it had decided. */
const AT_ONCE: Order = { type: 'start', afterMs: 0 };

class Supervisor implements Behaviour {
  readonly #ctx: Context;
  readonly #args: SupervisorArgs;
  readonly #policy: RestartPolicy;
  readonly #random: () => number;
  readonly #children: Children;
  #record = NO_CRASHES;
  /** Crashes that wait for the group under way to end. */
  readonly #crashes: Crash[] = [];
  /** The one under way. */
  #group: Group | undefined;
  /** Why no child starts any more. */
  #closed: string | undefined;

  constructor(ctx: Context, args: SupervisorArgs) {
    this.#ctx = ctx;
    this.#args = args;
    this.#policy = policyOf(args);
    this.#random = seededRandom(ctx.self + ctx.incarnation);
    this.#children = new Children(ctx);
  }

  async begin(saved: ReadonlyMap<string, unknown>): Promise<void> {
    if (!(await this.#children.adopt(saved))) return this.#children.begin(this.#args.children);
    // What the directory has said of those who are missing is here before that: its answers to `adopt` came after it.
    this.#ctx.tell(this.#ctx.self, { type: 'missing' }, { band: Band.reserved });
  }

  receive(message: SupervisorMessage): unknown {
    return this.control(message);
  }

  control(message: SupervisorMessage): unknown {
    switch (message.type) {
      case 'start':
        return this.#start(message);
      case 'down':
        return this.#down(message);
      case 'resume':
        return this.#resume(message.child);
      case 'up':
        return this.#up(this.#children.of(message.child));
      case 'gone':
        return this.#gone(message);
      case 'halt':
        return this.#halt();
      case 'overdue':
        return this.#group?.goOnWithoutFirst();
      case 'spawn':
        return void this.#spawnAgain(message.name);
      case 'missing':
        return this.#missing();
      case 'give-up':
        throw new Escalated({ actor: this.#ctx.name, reason: message.reason });
    }
  }

  /** Before a restart its context is closed already, so that its children live on. */
  stop(reason: string): Promise<void> {
    return this.#children.end(`its supervisor ended: ${reason}`);
  }

  // What it is told

  #start({ options }: SupervisorMessage & { type: 'start' }): unknown {
    if (this.#closed !== undefined) {
      return refuse(new ActorEnded({ actor: this.#ctx.name, reason: this.#closed }));
    }
    if (this.#children.list.length >= CHILDREN) {
      const expected = `no more than ${CHILDREN} children of one supervisor`;
      return refuse(new BadArgument({ argument: 'options', value: options, expected }));
    }
    const reply = this.#ctx.replyLater();
    this.#children.add(options).then(({ id }) => reply.resolve(id), reply.reject);
    return undefined;
  }

  #down({ child: id, reason, crashed }: SupervisorMessage & { type: 'down' }): unknown {
    const child = this.#children.of(id);
    if (this.#closed !== undefined) return { type: 'end', reason: this.#closed } satisfies Order;
    if (child === undefined) return stranger(id);
    const meant = child.takenDown;
    child.up = false;
    child.takenDown = false;
    this.#children.forgetAsked(child);
    if (crashed) {
      child.order = undefined;
      this.#crashed({ child, reason });
    } else if (!meant) child.order = AT_ONCE;
    // Of one that was taken down the order may be here already: its thread's word that it is down can come later.
    return undefined;
  }

  #resume(id: ActorId): unknown {
    const child = this.#children.of(id);
    if (this.#closed !== undefined) return { type: 'end', reason: this.#closed } satisfies Order;
    if (child === undefined) return stranger(id);
    if (child.up) {
      child.up = false;
      return AT_ONCE;
    }
    return this.#children.keep(child, this.#ctx.replyLater());
  }

  #up(child: Child | undefined): void {
    if (child === undefined) return;
    child.up = true;
    child.order = undefined;
    this.#children.forgetAsked(child);
    this.#group?.goOnFrom(child);
  }

  #gone({ id, reason, failed }: SupervisorMessage & { type: 'gone' }): void {
    const child = this.#children.of(id);
    if (child === undefined || this.#closed !== undefined) return;
    Object.assign(child, { up: false, missing: false, id: NOBODY });
    if (failed) return this.#crashed({ child, reason });
    this.#children.remove(child);
    this.#group?.goOnFrom(child);
  }

  /** It is taken down next; if that does not come, its supervisor hears of it as of a crash. */
  #halt(): void {
    const reply = this.#ctx.replyLater();
    const reason = 'it is started again with its siblings';
    void this.#close(reason).then(() => {
      reply.resolve(undefined);
      this.#ctx.after(DOWN_MS, { type: 'give-up', reason });
    });
  }

  /** Of their ends nothing was heard: the thread was lost with the word of it. */
  #missing(): void {
    for (const child of this.#children.list.filter(({ missing }) => missing)) {
      this.#gone({
        type: 'gone',
        id: child.id,
        reason: 'it ended while its supervisor was down',
        failed: true,
      });
    }
  }

  // What it does

  #crashed(crash: Crash): void {
    this.#crashes.push(crash);
    // A group that waits for this one to start is planned anew.
    if (this.#group?.waitsFor(crash.child)) this.#callOff();
    if (this.#group === undefined) this.#next();
  }

  /** Deals with the crashes that wait, up to the first whose group takes time. */
  #next(): void {
    while (this.#group === undefined && this.#closed === undefined) {
      const crash = this.#crashes.shift();
      if (crash === undefined) return;
      const { child } = crash;
      // It may have been started with another one's group, or have ended.
      if (!child.up && this.#children.list.includes(child)) this.#deal(crash);
    }
  }

  #deal(crash: Crash): void {
    const { child: crashed, reason } = crash;
    const given = { children: this.#children.list, crashed, record: this.#record, now: this.#ctx.now };
    const plan = planRestart(given, this.#args.strategy, this.#policy, this.#random);
    if (plan.type === 'escalate') {
      void this.#giveUp(`${crashed.name} crashed too often, the last time: ${reason}`);
      return;
    }
    this.#record = plan.record;
    if (this.#args.strategy === 'one-for-one') {
      this.#children.startIn(plan.afterMs, crashed);
      return;
    }
    this.#group = new Group(this.#ctx, this.#children, plan, () => {
      this.#group = undefined;
      this.#next();
    });
    void this.#group.begin(plan, crashed.name, reason);
  }

  #callOff(): void {
    this.#group?.callOff();
    this.#group = undefined;
  }

  async #spawnAgain(name: string): Promise<void> {
    const child = this.#children.named(name);
    if (child === undefined || child.id !== NOBODY || this.#closed !== undefined) return;
    try {
      await this.#children.spawn(child);
      this.#up(child);
    } catch (error) {
      this.#crashed({ child, reason: asTroupeError(error).message });
    }
  }

  async #giveUp(reason: string): Promise<void> {
    await this.#close(reason);
    this.#ctx.tell(this.#ctx.self, { type: 'give-up', reason }, { band: Band.reserved });
  }

  async #close(reason: string): Promise<void> {
    this.#closed = reason;
    this.#callOff();
    await this.#children.end(reason);
  }
}

const supervisor: Definition<SupervisorArgs> = {
  kind: 'supervisor',
  async start(ctx, args, saved) {
    checkSupervisor(args);
    const made = new Supervisor(ctx, args);
    await made.begin(saved);
    return made;
  },
};

export default supervisor;
