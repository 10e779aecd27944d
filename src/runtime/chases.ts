/**
 * Finds the deadlocks that span threads, by chasing edges: from an actor that waits and is waited for, a search goes
 * along the waits from thread to thread, with the way it has come. If it comes back, the ring is looked at once more
 * from end to end, each wait by the number of its ask: what was seen twice was there in between, so that all of the ring
 * was there together. Then its newest wait is ended where it was asked.
 *
 * Threads answer one another here, not actors: a mailbox that is full or closed holds no search up. Nothing is kept of a
 * search but whom it has passed, so one that is lost with a thread leaves nothing behind; the ring is lost with it.
 */
import { type ActorId, NOBODY, threadOf } from './address.js';
import type { Deadlocks } from './deadlocks.js';
import { CHASE_AFTER_MS, CHASE_EDGES, CHASES_AT_ONCE, CHASES_KEPT } from './defaults.js';
import { type Edge, fromNewest, type Path, walk } from './edges.js';
import type { Thread } from './thread.js';
import type { WaitGraph } from './wait-graph.js';
import { Wire } from './wire.js';

/** What threads say to each other about one search. */
export type Chase =
  /** Goes on at the actor that the last edge of the path waits for; the first edge's asker is looked for. */
  | { readonly type: 'seek'; readonly search: string; readonly path: Path }
  /** Looks a second time at the edges of a ring; `threads` are those that have not yet. */
  | { readonly type: 'confirm'; readonly ring: Path; readonly threads: readonly number[] }
  /** The first edge of the ring is to end. `start` is where the search began. */
  | { readonly type: 'end'; readonly ring: Path; readonly start: ActorId }
  /** Something has changed in the ring that was found; there may be another. */
  | { readonly type: 'again'; readonly start: ActorId };

/** Searches of a later life of a thread are not those of an earlier one. */
const SEARCHES_A_LIFE = 2 ** 32;

export class Chases {
  readonly #thread: Thread;
  readonly #graph: WaitGraph;
  readonly #deadlocks: Pick<Deadlocks, 'settle' | 'end'>;
  /** Where a search is to begin soon. */
  readonly #due = new Set<ActorId>();
  /** Whom the latest searches have passed here. */
  readonly #passed = new Map<string, Set<ActorId>>();
  #searches: number;
  #armed = false;

  constructor(thread: Thread, graph: WaitGraph, deadlocks: Pick<Deadlocks, 'settle' | 'end'>, life: number) {
    this.#thread = thread;
    this.#graph = graph;
    this.#deadlocks = deadlocks;
    this.#searches = life * SEARCHES_A_LIFE;
  }

  /** Searches from an actor soon, if it still waits: most waits are over by then. */
  later(start: ActorId): void {
    this.#due.add(start);
    this.#arm();
  }

  heard(chase: Chase): void {
    switch (chase.type) {
      case 'seek':
        return this.#seek(chase.search, chase.path);
      case 'confirm':
        return this.#confirm(chase.ring, chase.threads);
      case 'end':
        this.#deadlocks.end(chase.ring);
        return this.#send(threadOf(chase.start), { type: 'again', start: chase.start });
      case 'again':
        return this.later(chase.start);
    }
  }

  #arm(): void {
    if (this.#armed || this.#due.size === 0) return;
    this.#armed = true;
    this.#thread.deadlines.call(CHASE_AFTER_MS, this.#begin);
  }

  readonly #begin = (): void => {
    this.#armed = false;
    for (const start of [...this.#due].slice(0, CHASES_AT_ONCE)) {
      this.#due.delete(start);
      const search = `${this.#thread.number}/${++this.#searches}`;
      this.#goOn(search, [], this.#deadlocks.settle(start));
    }
    this.#arm();
  };

  #seek(search: string, path: Path): void {
    const [first, last] = [path[0] as Edge, path.at(-1) as Edge];
    if (!this.#graph.holdsUp(last)) return;
    if (last.to === first.from) return this.#found(path);
    const passed = this.#passedOf(search);
    const out = (actor: ActorId): Edge[] => {
      if (passed.has(actor)) return [];
      passed.add(actor);
      return this.#graph.out(actor);
    };
    const { found, exits } = walk(last.to, first.from, out, this.#graph.isHere);
    if (found === undefined) this.#goOn(search, path, exits);
    else this.#found([...path, ...found]);
  }

  /** To the other threads that the waits lead to. */
  #goOn(search: string, path: Path, exits: readonly Path[]): void {
    for (const exit of exits.slice(0, CHASE_EDGES)) {
      const longer = [...path, ...exit];
      if (longer.length > CHASE_EDGES) continue;
      this.#send(threadOf((exit.at(-1) as Edge).to), { type: 'seek', search, path: longer });
    }
  }

  #found(ring: Path): void {
    this.#confirm(ring, [...new Set(ring.map(({ to }) => threadOf(to)))]);
  }

  #confirm(ring: Path, threads: readonly number[]): void {
    const start = (ring[0] as Edge).from;
    const all = ring.every((edge) => this.#graph.has(edge));
    const [next, ...others] = threads.filter((thread) => thread !== this.#thread.number);
    if (!all) this.#send(threadOf(start), { type: 'again', start });
    else if (next !== undefined) this.#send(next, { type: 'confirm', ring, threads: [next, ...others] });
    else {
      const ended = fromNewest(ring);
      this.#send(threadOf((ended[0] as Edge).from), { type: 'end', ring: ended, start });
    }
  }

  #passedOf(search: string): Set<ActorId> {
    let passed = this.#passed.get(search);
    if (passed === undefined) {
      const [oldest] = this.#passed.keys();
      if (this.#passed.size >= CHASES_KEPT && oldest !== undefined) this.#passed.delete(oldest);
      passed = new Set();
      this.#passed.set(search, passed);
    }
    return passed;
  }

  #send(thread: number, chase: Chase): void {
    if (thread === this.#thread.number) this.heard(chase);
    else this.#thread.lines.sendTo(thread, Wire.chase, NOBODY, NOBODY, 0, chase);
  }
}
