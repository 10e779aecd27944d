/**
 * The threads of a system and the lines between them, as the main thread holds them: started, joined, taken apart.
 */
import { Board } from './board.js';
import type { Host, LineEnd, Platform } from './platform.js';
import type { Probe } from './probes.js';
import { Thread } from './thread.js';
import { CONTROL_THREAD, MAIN_THREAD } from './well-known.js';

export interface ThreadPlan {
  readonly name: string;
  /** Whether actors that name no thread may be placed here. */
  readonly host: boolean;
}

/** One thread of the plan, over all its lives. */
export interface Place {
  readonly number: number;
  readonly name: string;
  readonly host: boolean;
  board: Board;
  /** The thread that is up or starting. */
  worker: Host | undefined;
  /** Started, and joined to others or about to be. */
  up: boolean;
  /** Joined to the others: what is sent to its actors arrives. */
  joined: boolean;
  life: number;
  crashes: readonly number[];
  /** Why it is about to be ended by force; the reason of its loss. */
  doom: string | undefined;
}

export interface MeshEvents {
  onProbe(probe: Probe): void;
  onLost(place: Place, reason: string): void;
}

export class Mesh {
  readonly main: Thread;
  readonly places: readonly Place[];
  readonly #platform: Platform;
  readonly #events: MeshEvents;

  constructor(plans: readonly ThreadPlan[], platform: Platform, events: MeshEvents) {
    this.#platform = platform;
    const board = new Board(platform.createBoard());
    this.main = new Thread(MAIN_THREAD, 'main', platform.clock, board, 0);
    const plan = [{ name: 'main', host: false }, { name: 'control', host: false }, ...plans];
    this.places = plan.map(({ name, host }, number) => ({
      number,
      name,
      host,
      board,
      worker: undefined,
      up: number === MAIN_THREAD,
      joined: number === MAIN_THREAD,
      life: 0,
      crashes: [],
      doom: undefined,
    }));
    this.#events = events;
  }

  /** Finds the definitions of actors for the main thread. */
  get load(): Platform['load'] {
    return this.#platform.load;
  }

  /** Every thread but the main one. */
  get workers(): Place[] {
    return this.places.slice(1);
  }

  get control(): Place {
    return this.places[CONTROL_THREAD] as Place;
  }

  /** Threads other than `place` that are up. */
  peersOf(place: Place): Place[] {
    return this.places.filter((peer) => peer !== place && peer.up);
  }

  /** Rejects with `ThreadLost` or `AskTimeout`; no thread is then left. */
  async startWorker(place: Place): Promise<void> {
    const memory = this.#platform.createBoard(place.life === 0 ? undefined : place.board);
    place.board = new Board(memory);
    const hosts = this.places.flatMap(({ host, number }) => (host ? [number] : []));
    const { number, name, life } = place;
    const directory = { hosts, threads: this.places.length };
    const { epochMs } = this.#platform;
    const worker = this.#platform.startHost(
      { number, name, life, epochMs, board: memory, directory },
      {
        onProbe: (probe) => this.#events.onProbe(probe),
        onLost: (reason) => {
          gone(place);
          const { doom } = place;
          place.doom = undefined;
          this.#events.onLost(place, doom ?? reason);
        },
      },
    );
    place.worker = worker;
    try {
      await worker.ready;
      place.up = true;
    } catch (error) {
      place.worker = undefined;
      await worker.terminate();
      throw error;
    }
  }

  /** Lays a line between two threads. Settles when `place` has its end; the peer has its own when it gets to it. */
  async join(place: Place, peer: Place): Promise<void> {
    const [one, other] = this.#platform.layLine();
    // A peer that is busy, or lost just now, is no reason to give this thread up: its own loss is dealt with for itself.
    const peerEnd = this.#connect(peer, place, one);
    peerEnd.catch(() => {});
    await this.#connect(place, peer, other);
  }

  /** Lays all lines. */
  async joinAll(): Promise<void> {
    const pairs = this.workers.flatMap((place) =>
      this.places.slice(0, place.number).map((peer) => [place, peer]),
    );
    await Promise.all(pairs.map(([place, peer]) => this.joinBoth(place as Place, peer as Place)));
    for (const place of this.workers) place.joined = place.up;
  }

  /** The same, settling when both have their ends. */
  async joinBoth(place: Place, peer: Place): Promise<void> {
    const [one, other] = this.#platform.layLine();
    await Promise.all([this.#connect(peer, place, one), this.#connect(place, peer, other)]);
  }

  /** Tells the threads that are left that one is gone. Settles when the control thread knows. */
  async part(place: Place, reason: string): Promise<void> {
    this.main.loseThread(place.number, place.name, reason);
    let known: Promise<void> | undefined;
    for (const peer of this.peersOf(place)) {
      const told = peer.worker?.disconnect(place.number, place.name, reason).catch(() => {});
      if (peer === this.control) known = told;
    }
    await known;
  }

  async #connect(at: Place, to: Place, end: LineEnd): Promise<void> {
    const { number, name, board } = to;
    if (at.number === MAIN_THREAD) {
      this.main.lines.connect({ number, name, board }, (receive) => this.#platform.open(end, receive));
    } else await at.worker?.connect({ number, name, board: board.memory }, end);
  }
}

/** The thread of a place has ended. */
export function gone(place: Place): void {
  place.up = false;
  place.joined = false;
  place.worker = undefined;
}
