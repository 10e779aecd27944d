/**
 * What others want to know of the engine once, when it is up.
 */

/** Asked of the engine; the answer is an `EngineReady`. */
export interface ReadyRequest {
  readonly type: 'ready';
}

export interface EngineReady {
  /** Which weights other threads may attach to. */
  readonly model: number;
  /** What all pages of its contexts are of, over all relaunches. */
  readonly fingerprint: string;
}
