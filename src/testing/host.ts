/**
 * A thread of a test as the main thread holds it: a `Thread` in the same isolate, whose orders (connect, disconnect, stop)
 * are things that happen in the loop. Terminated, it leaves behind what a real one does: what it had posted.
 */
import { Board } from '../runtime/board.js';
import { THREAD_CONTROL_MS, THREAD_START_MS, THREAD_STOP_MS } from '../runtime/defaults.js';
import { AskTimeout, ThreadLost, type TroupeError } from '../runtime/errors.js';
import type { Host, HostData, HostEvents, LineEnd, PeerData } from '../runtime/platform.js';
import { startResidents } from '../runtime/residents.js';
import { Thread } from '../runtime/thread.js';
import type { Loader } from '../runtime/thread-actor.js';
import { MAIN_THREAD } from '../runtime/well-known.js';
import { VirtualClock } from './clock.js';
import type { TestLineEnd } from './line.js';
import type { Loop } from './loop.js';
import type { Source } from './source.js';

export class TestHost implements Host {
  readonly number: number;
  readonly ready: Promise<void>;
  readonly thread: Thread;
  readonly #loop: Loop;
  readonly #name: string;
  readonly #events: HostEvents;
  readonly #clock: VirtualClock;
  readonly #orders: Source;
  /** Of the orders under way, as the main thread waits for them. */
  readonly #deadlines: Source;
  readonly #ends: TestLineEnd[] = [];
  /** Rejections of the orders under way. */
  readonly #underWay = new Set<(error: Error) => void>();
  #up = false;
  #leaving = false;
  #exit: TroupeError | undefined;

  constructor(loop: Loop, load: Loader, data: HostData, events: HostEvents) {
    const { number, name, life } = data;
    this.number = number;
    this.#loop = loop;
    this.#name = name;
    this.#events = events;
    this.#orders = loop.source(`orders to ${name}`, number);
    this.#deadlines = loop.source(`deadlines of orders to ${name}`, MAIN_THREAD);
    this.#clock = new VirtualClock(loop, name, number);
    this.thread = new Thread(number, name, this.#clock, new Board(data.board), life);
    this.thread.probes.on((probe) => events.onProbe(probe));
    const start = (): Promise<void> =>
      startResidents(this.thread, data, load, (error) => this.lose(error.message));
    this.ready = this.#order('start', start, THREAD_START_MS).then(() => {
      this.#up = true;
    });
  }

  /** Started, and not lost. */
  get isUp(): boolean {
    return this.#up && !this.lost;
  }

  get lost(): boolean {
    return this.#exit !== undefined;
  }

  connect({ number, name, board }: PeerData, end: LineEnd): Promise<void> {
    const line = end as TestLineEnd;
    return this.#order('connect', () => {
      this.#ends.push(line);
      const peer = { number, name, board: new Board(board) };
      this.thread.lines.connect(peer, (receive) => line.open(this.number, receive));
    });
  }

  disconnect(peer: number, name: string, reason: string): Promise<void> {
    return this.#order('disconnect', () => this.thread.loseThread(peer, name, reason));
  }

  ping(): Promise<void> {
    return this.#order('ping', () => {});
  }

  async stop(reason: string): Promise<void> {
    this.#leaving = true;
    if (this.#up && this.#exit === undefined) {
      await this.#order('stop', () => this.thread.stopAll(reason), THREAD_STOP_MS).catch(() => {});
      this.thread.lines.closeAll();
    }
    this.lose('it left');
  }

  async terminate(): Promise<void> {
    this.lose('it was terminated');
  }

  /** Nothing happens on it any more, as in a thread whose loop does not turn. */
  freeze(): void {
    this.#clock.freeze();
    this.#orders.freeze();
    for (const end of this.#ends) end.freeze();
  }

  /** It ends at once, as a crash would end it; the main thread hears of it when the loop comes to that. */
  lose(reason: string): void {
    if (this.#exit !== undefined) return;
    const error = new ThreadLost({ thread: this.#name, reason });
    this.#exit = error;
    this.#clock.stop();
    this.#orders.close();
    for (const end of this.#ends) end.drop();
    const exit = this.#loop.source(`the exit of ${this.#name}`, MAIN_THREAD);
    exit.behind(0, () => {
      exit.close();
      this.#deadlines.close();
      for (const reject of [...this.#underWay]) reject(error);
      if (this.#up && !this.#leaving) this.#events.onLost(reason);
    });
  }

  #order(what: string, act: () => void | Promise<void>, withinMs = THREAD_CONTROL_MS): Promise<void> {
    if (this.#exit !== undefined) return Promise.reject(this.#exit);
    return new Promise((resolve, reject) => {
      const late = { actor: `the thread ${this.#name}`, message: what, waitedMs: withinMs };
      const deadline = this.#deadlines.at(withinMs, () => reject(new AskTimeout(late)));
      const over = (): void => {
        this.#deadlines.drop(deadline);
        this.#underWay.delete(reject);
      };
      this.#underWay.add(reject);
      this.#orders.behind(0, () => {
        Promise.resolve(act()).then(resolve, reject).finally(over);
      });
    });
  }
}
