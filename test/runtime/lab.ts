/**
 * Threads of the runtime in one real thread, under a clock that only moves when told to, with lines that deliver when
 * told to: for what takes long, or must happen at one certain moment.
 */
import type { Behaviour, Definition, SpawnOptions } from '../../src/runtime/actor.js';
import type { ActorId } from '../../src/runtime/address.js';
import { Board, createBoardMemory } from '../../src/runtime/board.js';
import type { Clock } from '../../src/runtime/clock.js';
import { directory } from '../../src/runtime/directory.js';
import { store } from '../../src/runtime/store.js';
import { Thread } from '../../src/runtime/thread.js';
import { startThreadActor } from '../../src/runtime/thread-actor.js';
import type { Batch, WirePort } from '../../src/runtime/wire.js';

export class LabClock implements Clock {
  ms = 0;
  #timers: { at: number; fire: () => void }[] = [];
  #soon: (() => void)[] = [];

  now(): number {
    return this.ms;
  }

  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.ms + ms, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  soon(fire: () => void): void {
    this.#soon.push(fire);
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** What was put off to the next turn of the loop. False: nothing. */
  turn(): boolean {
    const due = this.#soon.splice(0);
    for (const fire of due) fire();
    return due.length > 0;
  }

  /** Goes to the next timer that is due by `until`. False: none is. */
  advance(until: number): boolean {
    const [first] = this.#timers.sort((a, b) => a.at - b.at);
    if (first === undefined || first.at > until) return false;
    this.#timers.shift();
    this.ms = Math.max(this.ms, first.at);
    first.fire();
    return true;
  }
}

class LabPort implements WirePort {
  peer: LabPort | undefined;
  /** The thread that it brings messages to. */
  readonly owner: number;
  readonly queue: Batch[] = [];
  readonly #receive: (batch: Batch) => void;
  open = true;

  constructor(owner: number, receive: (batch: Batch) => void) {
    this.owner = owner;
    this.#receive = receive;
  }

  post(batch: Batch, transfer: readonly ArrayBuffer[]): void {
    const copy = structuredClone(batch, { transfer: [...transfer] });
    if (this.peer?.open) this.peer.queue.push(copy);
  }

  deliver(): boolean {
    const batch = this.queue.shift();
    if (batch !== undefined) this.#receive(batch);
    return batch !== undefined;
  }

  close(): void {
    while (this.deliver());
    this.open = false;
  }
}

/** Turns of the real loop in which nothing moves before the lab is taken to be quiet. */
const QUIET_TURNS = 3;

export class Lab {
  readonly clock = new LabClock();
  readonly threads: Thread[] = [];
  readonly ports: LabPort[] = [];
  /** Threads that do not come to read what they are sent. */
  readonly busy = new Set<number>();

  /** Threads 0 to `count`-1, each joined to each; 1 is the control thread. */
  static async open(count: number): Promise<Lab> {
    const lab = new Lab();
    for (let number = 0; number < count; number++) await lab.add(number, 0);
    return lab;
  }

  async add(number: number, life: number): Promise<Thread> {
    const thread = new Thread(number, `t${number}`, this.clock, new Board(createBoardMemory()), life);
    await startThreadActor(thread, life);
    if (number === 1) {
      await thread.spawn(directory, { name: 'directory', args: { hosts: [2], threads: 4 } });
      await thread.spawn(store, { name: 'store', args: undefined });
    }
    this.threads[number] = thread;
    for (const peer of this.threads) if (peer !== undefined && peer !== thread) this.join(thread, peer);
    return thread;
  }

  thread(number: number): Thread {
    return this.threads[number] as Thread;
  }

  join(a: Thread, b: Thread): void {
    const end = (owner: Thread) => (receive: (batch: Batch) => void) => {
      const port = new LabPort(owner.number, receive);
      this.ports.push(port);
      return port;
    };
    a.lines.connect(b, end(a));
    b.lines.connect(a, end(b));
    const [one, other] = this.ports.slice(-2) as [LabPort, LabPort];
    one.peer = other;
    other.peer = one;
  }

  spawn(
    thread: number,
    behaviour: Partial<Behaviour> | Definition['start'],
    name = 'actor',
    options: Partial<SpawnOptions> = {},
  ): Promise<ActorId> {
    const start =
      typeof behaviour === 'function'
        ? behaviour
        : (): Behaviour => ({ receive: () => undefined, ...behaviour }) as Behaviour;
    return this.thread(thread).spawn({ kind: 'lab', start }, { ...options, name, args: undefined });
  }

  /** Runs everything that can run, `ms` of the clock included. */
  async run(ms = 0): Promise<void> {
    const until = this.clock.ms + ms;
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      let moved = this.clock.turn();
      for (const port of [...this.ports]) {
        if (port.open && !this.busy.has(port.owner) && port.deliver()) moved = true;
      }
      if (!moved && quiet === QUIET_TURNS - 1) moved = this.clock.advance(until);
      quiet = moved ? 0 : quiet + 1;
    }
    this.clock.ms = until;
  }
}
