/**
 * What is observed: the few things that a server asks of the system that it stands in front of. What they cost is bounded
 * here: a report is shared by all requests that come soon after one another.
 */
import type { ActorId } from '../runtime/address.js';
import { KnownAs } from '../runtime/known-as.js';
import type { Probe } from '../runtime/probes.js';
import type { Sight } from '../runtime/standing.js';
import type { PeekReport } from '../runtime/thread-actor.js';
import type { TraceOptions } from '../runtime/trace-protocol.js';
import type { TraceListener } from '../runtime/traces.js';
import type { GenesSeen } from './genes.js';
import type { MemorySeen } from './memory.js';
import { REST } from './pace.js';
import type { PagesSeen } from './pages.js';

export interface Source {
  inspect(): Sight;
  peek(id: ActorId, preview: boolean): Promise<PeekReport>;
  genes(): Promise<GenesSeen>;
  memory(): Promise<MemorySeen>;
  pages(): Promise<PagesSeen>;
  trace(options: TraceOptions, listener: TraceListener): () => void;
  /** Answers the function that unsubscribes. */
  onProbe(listener: (probe: Probe) => void): () => void;
}

export interface Look {
  readonly sight: Sight;
  readonly known: KnownAs;
  readonly atMs: number;
}

/** A look is shared for as long at least, ms: nobody sees faster. One that cost much is shared for longer. */
const SHARED_MS = 50;
/** Looks at the source, or answers the last look while it is fresh. */
export class Lookout {
  readonly #source: Pick<Source, 'inspect'>;
  readonly #now: () => number;
  #last: Look | undefined;
  #freshUntil = 0;

  constructor(source: Pick<Source, 'inspect'>, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
  }

  look(): Look {
    const atMs = this.#now();
    if (this.#last !== undefined && atMs < this.#freshUntil) return this.#last;
    const sight = this.#source.inspect();
    this.#last = { sight, known: new KnownAs(sight.actors), atMs };
    const end = this.#now();
    this.#freshUntil = end + Math.max(SHARED_MS, REST * (end - atMs));
    return this.#last;
  }

  /** Nobody is there to share it. */
  forget(): void {
    this.#last = undefined;
  }
}
