/**
 * Probes: named, structured events that say what happened and why, inside one thread.
 */
import { EventEmitter } from 'eventemitter3';

export interface Probe {
  readonly name: string;
  readonly [field: string]: unknown;
}

export class Probes {
  readonly #emitter = new EventEmitter<{ probe: [Probe] }>();

  emit(probe: Probe): void {
    this.#emitter.emit('probe', probe);
  }

  /** Returns the function that unsubscribes. */
  on(listener: (probe: Probe) => void): () => void {
    this.#emitter.on('probe', listener);
    return () => this.#emitter.off('probe', listener);
  }
}
