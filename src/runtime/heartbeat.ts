/**
 * Finds threads that are frozen: their loop has not turned for so long, and they answer nothing. Who froze one is read
 * from its board.
 *
 * The main thread asks a thread only when it has begun no slice of late, a few times in the period, on the control
 * plane, where an answer begins none either.
 */
import { type ActorReport, readActors } from './inspect.js';
import type { Mesh, Place } from './mesh.js';

export interface Frozen {
  readonly place: Place;
  readonly forMs: number;
  /** Whose code has the thread, as far as that shows. */
  readonly culprit: ActorReport | undefined;
}

/** Looks in one period. */
const BEATS = 5;

export class Heartbeat {
  readonly #mesh: Mesh;
  readonly #frozenMs: number;
  readonly #onFrozen: (frozen: Frozen) => void;
  /** When each thread was last heard of. */
  readonly #heardAt = new Map<Place, number>();
  readonly #asked = new Set<Place>();
  #lookedAt = 0;
  #disarm: (() => void) | undefined;

  constructor(mesh: Mesh, frozenMs: number, onFrozen: (frozen: Frozen) => void) {
    this.#mesh = mesh;
    this.#frozenMs = frozenMs;
    this.#onFrozen = onFrozen;
  }

  start(): void {
    this.#lookedAt = this.#mesh.main.clock.now();
    this.#arm();
  }

  stop(): void {
    this.#disarm?.();
    this.#disarm = undefined;
  }

  #arm(): void {
    this.#disarm = this.#mesh.main.clock.after(this.#frozenMs / BEATS, () => {
      this.#arm();
      this.#look();
    });
  }

  #look(): void {
    const now = this.#mesh.main.clock.now();
    // This thread itself was held up: what the others have answered has not been read.
    if (now - this.#lookedAt > (2 * this.#frozenMs) / BEATS) this.#heardAt.clear();
    this.#lookedAt = now;
    for (const place of this.#mesh.workers) {
      if (place.joined) this.#lookAt(place, now);
      else this.#heardAt.delete(place);
    }
  }

  #lookAt(place: Place, now: number): void {
    const heardAt = Math.max(this.#heardAt.get(place) ?? now, now - place.board.sinceSlice(now));
    this.#heardAt.set(place, heardAt);
    const forMs = now - heardAt;
    if (forMs >= this.#frozenMs) {
      // Told once a period, however long it lasts.
      this.#heardAt.set(place, now);
      this.#onFrozen({ place, forMs, culprit: culpritOf(readActors(place.board, place, now)) });
    } else if (forMs >= this.#frozenMs / BEATS) this.#ask(place);
  }

  /** One question at a time; a thread that is lost answers none, and is not here any more. */
  #ask(place: Place): void {
    const { worker } = place;
    if (worker?.ping === undefined || this.#asked.has(place)) return;
    this.#asked.add(place);
    worker
      .ping()
      .then(
        () => this.#heardAt.set(place, this.#mesh.main.clock.now()),
        () => {},
      )
      .finally(() => this.#asked.delete(place));
  }
}

/** Down, and not at work on its start. */
const waitsToStart = ({ state, startsInMs, waitsFor }: ActorReport): boolean =>
  state === 'starting' && (startsInMs !== undefined || waitsFor !== undefined);

/** Who has a thread: the one whose handler runs, else one that starts, else one whose handler awaits; the longest first. */
export function culpritOf(actors: readonly ActorReport[]): ActorReport | undefined {
  const longest = (state: ActorReport['state']): ActorReport | undefined =>
    actors
      .filter((actor) => actor.state === state && !waitsToStart(actor))
      .sort((a, b) => (b.inHand?.forMs ?? 0) - (a.inHand?.forMs ?? 0))[0];
  return longest('handling') ?? longest('starting') ?? longest('awaiting');
}
