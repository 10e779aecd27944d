/**
 * Who waits for whom, as a graph: an edge is an ask that its asker's handler waits for and that the one asked cannot
 * answer before its own handler goes on. A ring of edges is a deadlock. Decides on plain data; `deadlocks.ts` acts.
 */
import type { ActorId } from './address.js';
import { WALKED_ACTORS } from './defaults.js';

export interface Edge {
  readonly from: ActorId;
  readonly to: ActorId;
  /** The ask's number on the asker's thread. */
  readonly ask: number;
  /** When it was asked, ms since the epoch. */
  readonly since: number;
  readonly messageType: string;
}

/** A way along edges: each begins where the one before it ends. */
export type Path = readonly Edge[];

export interface Walk {
  /** A shortest way from the start to the goal. */
  readonly found: Path | undefined;
  /** Ways that lead to where this thread cannot see, one for each wait that leads there. */
  readonly exits: readonly Path[];
}

/**
 * Walks breadth first from `start` to `goal`, which may be the same actor. `out` answers the edges of an actor of this
 * thread. Stops after `WALKED_ACTORS` actors.
 */
export function walk(
  start: ActorId,
  goal: ActorId,
  out: (actor: ActorId) => Iterable<Edge>,
  isHere: (actor: ActorId) => boolean,
): Walk {
  const via = new Map<ActorId, Edge | undefined>([[start, undefined]]);
  const exits: Path[] = [];
  const pathTo = (actor: ActorId): Edge[] => {
    const path: Edge[] = [];
    for (let edge = via.get(actor); edge !== undefined; edge = via.get(edge.from)) path.push(edge);
    return path.reverse();
  };
  // A map hands out what is added to it while it is gone through.
  for (const actor of via.keys()) {
    for (const edge of out(actor)) {
      if (!isHere(edge.to)) {
        exits.push([...pathTo(actor), edge]);
      } else if (edge.to === goal) {
        return { found: [...pathTo(actor), edge], exits: [] };
      } else if (!via.has(edge.to) && via.size < WALKED_ACTORS) {
        via.set(edge.to, edge);
      }
    }
  }
  return { found: undefined, exits };
}

/** The same ring, from its newest wait on: whoever finds it, wherever, begins with the same one. */
export function fromNewest(ring: Path): Path {
  const newest = ring.reduce((latest, edge) => (isNewer(edge, latest) ? edge : latest));
  const at = ring.indexOf(newest);
  return [...ring.slice(at), ...ring.slice(0, at)];
}

const isNewer = (a: Edge, b: Edge): boolean =>
  a.since !== b.since ? a.since > b.since : a.ask !== b.ask ? a.ask > b.ask : a.from > b.from;
