/**
 * What follows the loss of a thread: the others are told, it is started again, joined to them, and its actors come back.
 *
 * Losses are dealt with one at a time as far as threads and lines go, so that two lost at once are not joined to each
 * other's leavings; their actors start side by side.
 */
import { THREAD_RESTARTS } from './defaults.js';
import { asTroupeError } from './errors.js';
import type { Mesh, Place } from './mesh.js';
import { judgeCrash } from './supervision.js';

export interface RecoveryEvents {
  /** Actors of the thread get their mailboxes; then they start, and `respawn` settles when they have. */
  reserve(place: Place): Promise<void>;
  respawn(place: Place): Promise<void>;
  /** The system cannot go on. */
  onGivenUp(place: Place, reason: string): void;
}

export class Recovery {
  readonly #mesh: Mesh;
  readonly #events: RecoveryEvents;
  #line: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(mesh: Mesh, events: RecoveryEvents) {
    this.#mesh = mesh;
    this.#events = events;
  }

  lost(place: Place, reason: string): void {
    if (this.#stopping) return;
    this.#mesh.main.probes.emit({ name: 'thread.lost', thread: place.name, reason });
    const told = this.#mesh.part(place, reason);
    if (place === this.#mesh.control) {
      this.#events.onGivenUp(place, reason);
      return;
    }
    this.#line = this.#line.then(async () => {
      await told;
      await this.#bringBack(place, reason);
    });
  }

  /** No thread is started from now on. Settles when none is on its way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#line;
  }

  async #bringBack(place: Place, cause: string): Promise<void> {
    let reason = cause;
    while (!this.#stopping) {
      const verdict = judgeCrash(place.crashes, this.#mesh.main.clock.now(), THREAD_RESTARTS);
      if (!verdict.restart) {
        this.#events.onGivenUp(place, `${reason}; it was lost too often to be started again`);
        return;
      }
      place.crashes = verdict.crashes;
      place.life++;
      try {
        await this.#mesh.startWorker(place);
      } catch (error) {
        reason = asTroupeError(error).message;
        continue;
      }
      // One that does not join is ended, and its loss stands in line behind this one.
      await this.#join(place).catch(() => place.worker?.terminate());
      return;
    }
  }

  async #join(place: Place): Promise<void> {
    const { main, control } = this.#mesh;
    await this.#mesh.joinBoth(place, control);
    // Before anyone else can send to them, so that nothing is lost that need not be.
    await this.#events.reserve(place);
    for (const peer of this.#mesh.peersOf(place)) {
      if (peer !== control && peer.up) await this.#mesh.join(place, peer);
    }
    place.joined = place.up;
    this.#events.respawn(place).then(
      () => main.probes.emit({ name: 'thread.restarted', thread: place.name, life: place.life }),
      () => {
        // The thread, or the system, was lost meanwhile; that has its own consequences.
      },
    );
  }
}
